package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.ApiClient.Answer;
import io.sluice.center.sink.AuditSink;
import io.sluice.testkit.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The audit log leaves a center as a file, and through a sink. */
class AuditExportApiTest {

    @TempDir
    Path data;

    @Test
    void theLogIsExportedAndForwarded() throws Exception {
        Path file = data.resolve("sink.jsonl");
        CenterSettings settings = PreparedCenter.in(data).sinks(List.of(new AuditSink.File(file, 1_000_000, 1)));
        try (Center center = Center.open(settings)) {
            ApiClient api = ApiClient.of(center);
            api.release("login", 1);
            Answer lines = api.get("/api/audit/export").expect(200);
            assertThat(lines.type()).startsWith("application/jsonl");
            assertThat(lines.text())
                    .startsWith("{\"sluice\":\"audit\",\"format\":1,")
                    .contains("\"kind\":\"release_change\"");
            assertThat(lines.text().lines().reduce((first, second) -> second).orElse(""))
                    .startsWith("{\"end\":");
            Answer table = api.get("/api/audit/export?format=csv").expect(200);
            assertThat(table.type()).startsWith("text/csv");
            assertThat(table.text()).startsWith("number,at,actor,from,kind,").contains("release_change");
            assertThat(api.get("/api/audit/export?format=xml").expect(400).text())
                    .contains("format: unknown (expected: jsonl or csv)");

            Await.until("the sink has the rows", Duration.ofMinutes(5), () -> text(file)
                    .contains("\"kind\":\"release_change\""));
            Answer sinks = api.get("/api/audit/sinks").expect(200);
            assertThat(sinks.json().get(0).get("name").asString()).isEqualTo("file " + file);
            assertThat(api.get("/api/status").expect(200).text()).doesNotContain("audit sink");
        }
    }

    private static String text(Path file) {
        try {
            return Files.exists(file) ? Files.readString(file) : "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
