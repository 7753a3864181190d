package io.sluice.node.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.node.config.TelemetrySettings.Otlp;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TelemetrySettingsTest {

    private static final Path FILE = Path.of("/etc/sluice/sluice.yaml");

    @Test
    void nothingIsSentUnlessItIsConfigured() throws Exception {
        assertThat(read("routes: []")).isEqualTo(TelemetrySettings.NONE);
        assertThat(read("telemetry: { start_traces: true }")).isEqualTo(new TelemetrySettings(true, Optional.empty()));
    }

    @Test
    void readsAReceiver() throws Exception {
        assertThat(read("telemetry: { otlp: { endpoint: \"http://127.0.0.1:4318\" } }"))
                .isEqualTo(TelemetrySettings.to(new Otlp(
                        URI.create("http://127.0.0.1:4318"),
                        Optional.empty(),
                        0.01,
                        "sluice-node",
                        true,
                        Duration.ofSeconds(60))));
        TelemetrySettings all = read("telemetry: { otlp: { endpoint: \"https://otel.example/base/\", headers_file: h,"
                + " share: 0, service_name: edge, metrics: false, interval: 10s } }");
        Otlp otlp = all.otlp().orElseThrow();
        assertThat(otlp)
                .isEqualTo(new Otlp(
                        URI.create("https://otel.example/base/"),
                        Optional.of(Path.of("/etc/sluice/h")),
                        0,
                        "edge",
                        false,
                        Duration.ofSeconds(10)));
        assertThat(otlp.address("traces")).isEqualTo("https://otel.example/base/v1/traces");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{}|endpoint: missing (expected: a URL such as http://127.0.0.1:4318)",
                "{ endpoint: \"ftp://a\" }|endpoint: ftp://a (expected: http:// or https://",
                "{ endpoint: \"http://me:secret@a\" }|endpoint: not usable (expected: http:// or https://",
                "{ endpoint: \"http://a\", share: 1.5 }|share: 1.5 (expected: a number from 0 to 1",
                "{ endpoint: \"http://a\", service_name: \"a b\" }|service_name: a b (expected: 1..100 letters",
                "{ endpoint: \"http://a\", interval: 1ms }|interval: 1ms (expected:",
                "{ endpoint: \"http://a\", unknown: 1 }|unknown"
            })
    void refusesOthers(String otlp, String message) {
        ConfigRefusedException refused =
                catchThrowableOfType(ConfigRefusedException.class, () -> read("telemetry: { otlp: " + otlp + " }"));
        assertThat(refused.errors().toString()).contains(message).doesNotContain("secret");
    }

    @Test
    void aRunningNodeCannotChangeIt() throws Exception {
        ConfigFile one = ConfigFile.parse(FILE, "telemetry: { otlp: { endpoint: \"http://a\" } }");
        ConfigFile other = ConfigFile.parse(FILE, "telemetry: { otlp: { endpoint: \"http://b\" } }");
        assertThat(one.fixedChanges(other)).containsExactly("telemetry");
        assertThat(one.fixedChanges(ConfigFile.parse(FILE, "telemetry: { otlp: { endpoint: \"http://a\" } }")))
                .isEmpty();
    }

    private static TelemetrySettings read(String text) throws ConfigRefusedException {
        return ConfigFile.parse(FILE, text).telemetry();
    }
}
