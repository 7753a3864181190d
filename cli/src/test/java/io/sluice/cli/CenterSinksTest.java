package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.center.sink.AuditSink;
import io.sluice.cli.audit.AuditPlaces;
import io.sluice.node.config.ConfigFile;
import io.sluice.node.config.ConfigRefusedException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The sinks of the audit log in the configuration of a center. */
class CenterSinksTest {

    @TempDir
    Path folder;

    @Test
    void theConfigNamesSinks() throws Exception {
        assertThat(AuditPlaces.of(read("""
                center:
                  audit:
                    sinks:
                      - file: audit.jsonl
                      - {file: /var/log/sluice.jsonl, max_size: 1GB, keep: 3}
                      - syslog: udp://127.0.0.1:514
                      - {syslog: "tls://log.example:6514", ca: ca.pem}
                      - {kafka: "a:9092,b:9092", topic: sluice-audit, properties: kafka.properties}
                """).centerRole().sinks()))
                .containsExactly(
                        new AuditSink.File(folder.resolve("audit.jsonl"), 100L << 20, 10),
                        new AuditSink.File(Path.of("/var/log/sluice.jsonl"), 1L << 30, 3),
                        new AuditSink.Syslog(URI.create("udp://127.0.0.1:514"), Optional.empty()),
                        new AuditSink.Syslog(
                                URI.create("tls://log.example:6514"), Optional.of(folder.resolve("ca.pem"))),
                        new AuditSink.Kafka(
                                "a:9092,b:9092", "sluice-audit", Optional.of(folder.resolve("kafka.properties"))));
        assertThat(read("center: {port: 1}").centerRole().sinks()).isEmpty();
    }

    @Test
    void everyMistakeIsNamed() {
        assertThat(errors("{}")).contains("neither file, syslog nor kafka");
        assertThat(errors("{file: a, syslog: \"udp://h:514\"}")).contains("more than one of file, syslog and kafka");
        assertThat(errors("{file: a, topic: b}")).contains("unknown key: topic of file");
        assertThat(errors("{file: a, max_size: 1KB}")).contains("max_size: 1KB (expected: 64KB to 100GB");
        assertThat(errors("{file: a, keep: -1}")).contains("keep: -1 (expected: 0..1000)");
        assertThat(errors("{syslog: \"http://h:514\"}"))
                .contains("syslog: http://h:514 (expected: udp://, tcp:// or tls://");
        assertThat(errors("{syslog: \"tcp://h\"}")).contains("syslog: tcp://h (expected");
        assertThat(errors("{syslog: \"tcp://user:secret@h:1\"}"))
                .contains("syslog: not usable")
                .doesNotContain("secret");
        assertThat(errors("{syslog: \"tcp://h:1\", ca: x}")).contains("ca: without TLS");
        assertThat(errors("{kafka: \"h:9092\"}")).contains("topic: missing");
        assertThat(errors("{kafka: h, topic: t}")).contains("kafka: h (expected: host:port, several with commas)");
        assertThat(errors("{kafka: \"h:1\", topic: \"a b\"}")).contains("topic: a b (expected");
        assertThat(errors("{file: a}, {file: a}")).contains("the same one twice");
        assertThat(errors("{fil: a}")).contains("unknown key: fil");
    }

    private ConfigFile read(String text) throws ConfigRefusedException {
        return ConfigFile.parse(folder.resolve("sluice.yaml"), text);
    }

    private String errors(String sinks) {
        ConfigRefusedException refused = catchThrowableOfType(
                ConfigRefusedException.class, () -> read("center: {audit: {sinks: [" + sinks + "]}}"));
        return String.valueOf(refused == null ? List.of() : refused.errors());
    }
}
