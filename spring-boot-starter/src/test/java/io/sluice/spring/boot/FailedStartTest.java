package io.sluice.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;

/** Startup failures: the text that is printed instead of a stack trace. */
@ExtendWith(OutputCaptureExtension.class)
class FailedStartTest {

    @TempDir
    private Path folder;

    @Test
    void saysThatTheRedisUriIsUnreadableWithoutItsPassword(CapturedOutput output) {
        fails("--sluice.redis.uri=redis://:secret@[broken");
        assertThat(output)
                .contains("APPLICATION FAILED TO START", "sluice.redis.uri", "expected: redis://", "Action:")
                .doesNotContain("secret");
    }

    @Test
    void namesEveryErrorOfARuleFileWithItsPlace(CapturedOutput output) throws Exception {
        Path file = Files.writeString(folder.resolve("r.yaml"), "rules:\n  - { id: a }\n  - { id: b, limits: 3 }\n");
        fails("--sluice.rules-file=" + file);
        assertThat(output)
                .contains("APPLICATION FAILED TO START", file + ":2:", file + ":3:", "Correct all 2 and start again.");
    }

    @Test
    void namesThePropertyOfABadRule(CapturedOutput output) {
        fails("--sluice.rules[0].id=a", "--sluice.rules[0].limits[0].rate=often");
        assertThat(output).contains("APPLICATION FAILED TO START", "sluice.rules[0].limits[0].rate: ");
    }

    @Test
    void saysThatTheRuleFileIsMissing(CapturedOutput output) {
        fails("--sluice.rules-file=" + folder.resolve("none.yaml"));
        assertThat(output)
                .contains("APPLICATION FAILED TO START", "none.yaml (expected: a file or directory that exists)");
    }

    @Test
    void saysThatAHashKeyIsNeeded(CapturedOutput output) {
        fails(
                "--sluice.redis.uri=redis://127.0.0.1:1",
                "--sluice.rules[0].id=a",
                "--sluice.rules[0].limits[0].rate=5",
                "--sluice.rules[0].limits[0].by=user",
                "--sluice.rules[0].limits[0].privacy=hash");
        assertThat(output)
                .contains("APPLICATION FAILED TO START", "hash key: none", "expected: sluice.hash-key-file", "Action:");
    }

    @Test
    void saysThatTheHashKeyIsUnreadable(CapturedOutput output) {
        fails("--sluice.hash-key-file=" + folder.resolve("none"));
        assertThat(output).contains("APPLICATION FAILED TO START", "hash_key_file: unreadable");
    }

    @Test
    void refusesRulesInTwoPlaces(CapturedOutput output) throws Exception {
        Path file = Files.writeString(folder.resolve("r.yaml"), "rules: []\n");
        fails("--sluice.rules-file=" + file, "--rate.limit.configs.sms.limit=1", "--rate.limit.configs.sms.window=1");
        assertThat(output).contains("APPLICATION FAILED TO START", "expected: rules in one place");
    }

    @Test
    void saysWhatTrustedProxiesCanBe(CapturedOutput output) {
        fails("--sluice.caller.trusted-proxies=loadbalancer");
        assertThat(output).contains("APPLICATION FAILED TO START", "sluice.caller: ", "loadbalancer", "10.0.0.0/8");
    }

    @Test
    void saysWhichHeadersThereAre(CapturedOutput output) {
        fails("--sluice.caller.trusted-proxies=2", "--sluice.caller.headers=x-client");
        assertThat(output).contains("APPLICATION FAILED TO START", "x-client", "expected: x-forwarded-for, forwarded");
    }

    private static void fails(String... arguments) {
        SpringApplication application = new SpringApplication(App.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        assertThatThrownBy(() -> application.run(arguments)).isInstanceOf(Exception.class);
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({SluiceAutoConfiguration.class, SluiceActuatorAutoConfiguration.class})
    static class App {}
}
