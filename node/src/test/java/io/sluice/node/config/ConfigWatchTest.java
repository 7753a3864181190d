package io.sluice.node.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.time.ManualClock;
import io.sluice.node.gateway.config.GatewayConfig;
import io.sluice.rules.watch.Looks;
import io.sluice.testkit.QuietClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class ConfigWatchTest {

    private static final Duration LOOK = Duration.ofMillis(500);
    private static final String FIRST = "routes: [{ upstreams: http://a }]\n";
    private static final String SECOND = "routes: [{ upstreams: http://b }]\n";

    private final ManualClock clock = QuietClock.at(0);
    private final List<GatewayConfig> taken = new ArrayList<>();

    @TempDir
    Path folder;

    @Test
    void aChangeIsAcceptedAtTheSecondPoll() throws Exception {
        Path file = write(FIRST);
        try (ConfigWatch watch = watch(file)) {
            look(10);
            assertThat(taken).isEmpty();

            write(SECOND);
            look(1);
            assertThat(taken).isEmpty();
            look(1);
            assertThat(taken).hasSize(1);
            look(10);
            assertThat(taken).hasSize(1);
            assertThat(watch.findings()).isEmpty();
        }
    }

    @Test
    void aBadFileChangesNothingAndIsReported() throws Exception {
        Path file = write(FIRST);
        try (ConfigWatch watch = watch(file)) {
            write("routes: [{ upstreams: 7 }, { path: x }]\n");
            look(5);
            assertThat(taken).isEmpty();
            assertThat(watch.findings())
                    .singleElement()
                    .asString()
                    .startsWith("config refused, the last good one stays in force: " + file + ":1:")
                    .endsWith("(and 2 more)");

            write("redis: {}\n");
            look(2);
            assertThat(watch.findings())
                    .containsExactly("config refused, the last good one stays in force: " + file
                            + ": routes: missing (expected: a list; [] is allowed)");

            write(SECOND);
            look(2);
            assertThat(taken).hasSize(1);
            assertThat(watch.findings()).isEmpty();
        }
    }

    @Test
    void aFileThatIsMissingForAWhileChangesNothing() throws Exception {
        Path file = write(FIRST);
        try (ConfigWatch watch = watch(file)) {
            Files.delete(file);
            look(2);
            assertThat(watch.findings()).singleElement().asString().contains("file: missing");
            assertThat(taken).isEmpty();

            write(FIRST);
            look(2);
            assertThat(watch.findings()).isEmpty();
        }
    }

    @Test
    @Timeout(300)
    @EnabledOnOs(OS.LINUX)
    void aPipeInPlaceOfTheConfigIsAnErrorAndARegularFileIsReadAgain() throws Exception {
        Path file = write(FIRST);
        try (ConfigWatch watch = watch(file)) {
            Files.delete(file);
            assertThat(new ProcessBuilder("mkfifo", file.toString()).start().waitFor())
                    .isZero();
            look(2);
            assertThat(watch.findings()).singleElement().asString().contains("file: not a regular file");

            Files.delete(file);
            write(SECOND);
            look(2);
            assertThat(taken).hasSize(1);
            assertThat(watch.findings()).isEmpty();
        }
    }

    @Test
    void aFileThatABadConfigLacksIsLookedForAgain() throws Exception {
        Path file = write(FIRST);
        try (ConfigWatch watch = watch(file)) {
            write("rules: { hash_key_file: key }\n" + SECOND);
            look(2);
            assertThat(watch.findings()).singleElement().asString().contains("hash_key_file: unreadable");

            Files.writeString(folder.resolve("key"), "0123456789abcdef");
            look(1);
            assertThat(taken).hasSize(1);
            assertThat(watch.findings())
                    .containsExactly("config: rules.hash_key_file changed; this takes effect after a restart");
        }
    }

    @Test
    void settingsThatCannotChangeAreNamedAndTheRestIsApplied() throws Exception {
        Path file = write("redis: { uri: 'redis://a' }\n" + FIRST);
        try (ConfigWatch watch = watch(file)) {
            write("redis: { uri: 'redis://b', prefix: p }\napi: { tokens: t }\ngrpc: { tokens: t }\nmetrics: open\n"
                    + "envoy: { count: reference }\ngateway: { drain: 1s }\n" + SECOND);
            look(2);
            assertThat(taken).hasSize(1);
            assertThat(watch.findings())
                    .containsExactly("config: redis.uri, redis.prefix, api.tokens, grpc.tokens, metrics, envoy.count,"
                            + " gateway.drain changed; this takes effect after a restart");

            write("redis: { uri: 'redis://a' }\n" + FIRST);
            look(2);
            assertThat(taken).hasSize(2);
            assertThat(watch.findings()).isEmpty();
        }
    }

    @Test
    void swappingTheLinkOfAKubernetesMountIsAChange() throws Exception {
        Path first = Files.createDirectory(folder.resolve("..1"));
        Path second = Files.createDirectory(folder.resolve("..2"));
        Files.writeString(first.resolve("sluice.yaml"), FIRST);
        Files.writeString(second.resolve("sluice.yaml"), SECOND);
        Path data = Files.createSymbolicLink(folder.resolve("..data"), first.getFileName());
        Path file = Files.createSymbolicLink(folder.resolve("linked.yaml"), Path.of("..data", "sluice.yaml"));
        try (ConfigWatch watch = watch(file)) {
            Path next = Files.createSymbolicLink(folder.resolve("..next"), second.getFileName());
            Files.move(next, data, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            look(2);

            assertThat(taken).hasSize(1);
            assertThat(watch.findings()).isEmpty();
        }
    }

    @Test
    void aFileThatIsNotUtf8IsRefused() throws Exception {
        Path file = write(FIRST);
        try (ConfigWatch watch = watch(file)) {
            Files.write(file, new byte[] {(byte) 0xff, (byte) 0xfe});
            look(2);
            assertThat(watch.findings()).singleElement().asString().contains("encoding: not UTF-8");
        }
    }

    @Test
    void aClosedWatchNoLongerPolls() throws Exception {
        Path file = write(FIRST);
        watch(file).close();
        write(SECOND);
        look(5);

        assertThat(taken).isEmpty();
    }

    private ConfigWatch watch(Path file) throws Exception {
        byte[] content = ConfigWatch.content(file);
        return new ConfigWatch(
                file,
                content,
                ConfigWatch.understood(file, content),
                config -> {
                    taken.add(config);
                    return "test";
                },
                new Looks(clock, LOOK, Runnable::run, () -> {}));
    }

    private Path write(String text) throws IOException {
        return Files.writeString(folder.resolve("sluice.yaml"), text);
    }

    private void look(int times) {
        for (int i = 0; i < times; i++) {
            clock.advance(LOOK);
        }
    }
}
