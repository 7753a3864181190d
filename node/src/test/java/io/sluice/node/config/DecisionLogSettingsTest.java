package io.sluice.node.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.runtime.decisions.DecisionSettings;
import io.sluice.runtime.decisions.DecisionSettings.Shares;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DecisionLogSettingsTest {

    private static DecisionSettings read(String text) throws ConfigRefusedException {
        return ConfigFile.parse(Path.of("/etc/sluice/sluice.yaml"), text)
                .decisions()
                .log();
    }

    @Test
    void withoutASectionOnlyTheCenterGetsDecisions() throws Exception {
        assertThat(read("metrics: open")).isEqualTo(DecisionSettings.NONE);
        assertThat(DecisionSettings.NONE.isLogging()).isFalse();
        assertThat(DecisionSettings.NONE.centerAllowedShare()).isEqualTo(0.01);
    }

    @Test
    void aDirectoryAloneHasTheUsualNumbers() throws Exception {
        assertThat(read("decisions: { dir: decisions }").files())
                .contains(new DecisionSettings.Files(
                        Path.of("/etc/sluice/decisions"), 64L << 20, 2L << 30, Duration.ofDays(180)));
        assertThat(read("decisions: { dir: decisions }").shares()).isEqualTo(new Shares(1, 0.01));
    }

    @Test
    void everythingCanBeSaid() throws Exception {
        assertThat(read("""
                decisions:
                  dir: /var/log/sluice
                  max_size: 1MB
                  max_total: 10MB
                  keep: 30d
                  share: 0.5
                  allowed_share: 0
                  rules:
                    login: { allowed_share: 0.1 }
                    search: { share: 0.01 }
                  kafka: { servers: "a:9092,b:9092", topic: limits, properties: kafka.properties }
                  center: { allowed_share: 0.2 }
                """))
                .isEqualTo(new DecisionSettings(
                        Optional.of(new DecisionSettings.Files(
                                Path.of("/var/log/sluice"), 1 << 20, 10 << 20, Duration.ofDays(30))),
                        Optional.of(new DecisionSettings.Kafka(
                                "a:9092,b:9092", "limits", Optional.of(Path.of("/etc/sluice/kafka.properties")))),
                        new Shares(0.5, 0),
                        Map.of("login", new Shares(0.5, 0.1), "search", new Shares(0.01, 0)),
                        0.2));
        assertThat(read("decisions: { kafka: { servers: \"a:9092\" } }")
                        .kafka()
                        .orElseThrow()
                        .topic())
                .isEqualTo("sluice-decisions");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{ dir: d, share: 1.5 } | share: 1.5 (expected: 0 to 1, such as 0.1)",
                "{ dir: d, keep: 1s } | keep: 1s (expected: 1h to 1000d, such as 250ms, 1s, 1m, 1h or 1d)",
                "{ dir: d, max_size: 1KB } | max_size: 1KB (expected: 64KB to 1024GB, such as 512, 64KB, 100MB or 2GB)",
                "{ dir: d, max_size: 2GB, max_total: 1GB } | max_total: 1GB (expected: 2GB to 1024GB",
                "{ keep: 30d } | keep: without dir (expected: dir with a directory for files, or no keep)",
                "{ kafka: { topic: t } } | servers: missing (expected: host:port, several with commas)",
                "{ kafka: { servers: nowhere } } | servers: not usable (expected: host:port, several with commas)",
                "{ kafka: { servers: 'a:1', topic: 'a b' } } | topic: not usable (expected: letters, digits",
                "{ dir: d, rules: { a: 1 } } | a: 1 (expected: a mapping)",
                "{ dir: d, rules: { a: { shares: 1 } } } | unknown key: shares (expected: a known key; did you mean share?)",
                "{ centre: { allowed_share: 1 } } | unknown key: centre (expected: a known key; did you mean center?)"
            })
    void errorsSayWhatWasExpected(String section, String message) {
        assertThatThrownBy(() -> read("decisions: " + section))
                .isInstanceOf(ConfigRefusedException.class)
                .satisfies(e -> assertThat(((ConfigRefusedException) e).errors().toString())
                        .contains(message));
    }
}
