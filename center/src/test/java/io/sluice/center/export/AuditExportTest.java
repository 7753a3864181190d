package io.sluice.center.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.center.command.Actor;
import io.sluice.center.command.Command;
import io.sluice.center.command.CommandLog;
import io.sluice.center.database.Database;
import io.sluice.core.time.ManualClock;
import io.sluice.testkit.QuietClock;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class AuditExportTest {

    private static final JsonMapper JSON = JsonMapper.shared();

    @TempDir
    Path data;

    private final ManualClock clock = QuietClock.at(1_800_000_000_000_000L);
    private final CommandLog log = new CommandLog(clock);
    private Database database;

    @BeforeEach
    void start() throws Exception {
        database = Database.open("", data);
    }

    @AfterEach
    void stop() throws Exception {
        database.close();
    }

    @Test
    void aFileInJsonLinesHasABeginningEveryRowAndAnEnd() throws Exception {
        add(Actor.CENTER.at("192.0.2.7"), "because\r\n\u001b[31m\u202e", Map.of("name", "=cmd()"));
        add(Actor.CENTER, "x", Map.of());
        String text = export(ExportFormat.JSONL);
        List<JsonNode> lines = text.lines().map(JSON::readTree).toList();
        JsonNode header = lines.get(0);
        assertThat(header.get("sluice").asString()).isEqualTo("audit");
        assertThat(header.get("format").asInt()).isEqualTo(1);
        assertThat(header.get("head").get("size").asLong()).isEqualTo(2);
        assertThat(header.get("highest").asLong()).isEqualTo(2);
        JsonNode first =
                lines.stream().filter(line -> line.has("row")).findFirst().orElseThrow();
        assertThat(first.get("row").asLong()).isEqualTo(1);
        assertThat(first.get("from").asString()).isEqualTo("192.0.2.7");
        assertThat(first.get("reason").asString()).isEqualTo("because\r\n\u001b[31m\u202e");
        assertThat(first.get("body").asString()).isEqualTo("{\"name\":\"=cmd()\"}");
        JsonNode end = lines.get(lines.size() - 1);
        assertThat(end.get("end").asLong()).isEqualTo(2);
        assertThat(end.get("rows").asLong()).isEqualTo(2);
        assertThat(text).doesNotContain("\u202e", "\u001b", "\r");
    }

    @Test
    void aTableIsSafeInASpreadsheet() throws Exception {
        add(new Actor("=1+1"), "@SUM(A1)\n=2", Map.of("a", 1));
        List<String> lines = export(ExportFormat.CSV).lines().toList();
        assertThat(lines).hasSize(2);
        assertThat(lines.get(0)).isEqualTo("number,at,actor,from,kind,outcome,expected,reason,details,erased_by,hash");
        assertThat(lines.get(1)).contains(",\"'=1+1\",", ",\"'@SUM(A1)\\n=2\",", "\"{\"\"a\"\":1}\"");
    }

    @Test
    void rowsThatWereErasedSaySo() throws Exception {
        add(Actor.CENTER, "about somebody", Map.of("who", "somebody"));
        add(Actor.CENTER, "", Map.of("rows", List.of(1)));
        sql("UPDATE command SET origin = '', reason = '', body = '', salt = '', erased_by = 2 WHERE number = 1");
        assertThat(export(ExportFormat.CSV)).contains(",erased,", ",2,").doesNotContain("somebody");
        assertThat(export(ExportFormat.JSONL)).contains("\"erased_by\":2");
    }

    @Test
    void deletedRowsLeaveTheirHashes() throws Exception {
        for (int i = 0; i < 5; i++) {
            add(Actor.CENTER, "row " + i, Map.of());
        }
        String root = export(ExportFormat.JSONL);
        String third = JSON.readTree(root.lines()
                        .filter(line -> line.contains("\"row\":3,"))
                        .findFirst()
                        .orElseThrow())
                .get("hash")
                .asString();
        sql("DELETE FROM command WHERE number <= 3");
        sql("INSERT INTO audit_segment (first_row, last_row, root, at) VALUES (1, 2, 'r2', 5)");
        sql("INSERT INTO audit_segment (first_row, last_row, root, at) VALUES (3, 3, 'r3', 6)");
        List<JsonNode> lines = export(ExportFormat.JSONL)
                .lines()
                .map(JSON::readTree)
                .filter(line -> !line.has("checkpoint"))
                .toList();
        assertThat(lines).hasSize(1 + 2 + 2 + 2 + 1);
        assertThat(lines.get(1).get("segment").get("last").asLong()).isEqualTo(2);
        assertThat(lines.get(2).get("hashes")).hasSize(2);
        assertThat(lines.get(3).get("segment").get("root").asString()).isEqualTo("r3");
        assertThat(lines.get(4).get("leaves").asLong()).isEqualTo(3);
        assertThat(lines.get(4).get("hashes").get(0).asString()).isEqualTo(third);
        assertThat(lines.get(5).get("row").asLong()).isEqualTo(4);
        assertThat(export(ExportFormat.CSV)).contains("1..2,", "3..3,");
    }

    @Test
    void manyAndLongRowsArriveInTheirOrder() throws Exception {
        String text = "x".repeat(100_000);
        database.write(client -> {
            for (int i = 0; i < 120; i++) {
                long unused = log.add(client, Actor.CENTER, new Command.Act("test", i % 2 == 0 ? text : "", Map.of()));
            }
            return true;
        });
        List<Long> numbers = export(ExportFormat.JSONL)
                .lines()
                .map(JSON::readTree)
                .filter(line -> line.has("row"))
                .map(line -> line.get("row").asLong())
                .toList();
        assertThat(numbers).hasSize(120).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void anExportThatMeetsRowsErasedInTheMeantimeIsCutOff() throws Exception {
        add(Actor.CENTER, "about somebody", Map.of());
        AuditExport.Job job = new AuditExport(database, clock).job(ExportFormat.JSONL);
        add(Actor.CENTER, "", Map.of("rows", List.of(1)));
        sql("UPDATE command SET origin = '', reason = '', body = '', salt = '', erased_by = 2 WHERE number = 1");
        assertThatThrownBy(() -> job.write(new ByteArrayOutputStream()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("erased in the meantime");
    }

    private String export(ExportFormat format) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new AuditExport(database, clock).job(format).write(out);
        return out.toString(StandardCharsets.UTF_8);
    }

    private void add(Actor actor, String reason, Map<String, ?> details) {
        long unused = database.write(client -> log.add(client, actor, new Command.Act("test", reason, details)));
    }

    private void sql(String statement) {
        int unused = database.write(client -> client.sql(statement).update());
    }
}
