package io.sluice.center.sink;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class SinkFollowerTest {

    @TempDir
    Path folder;

    private SinkLog log;
    private Path file;
    private AuditSink.File sink;

    @BeforeEach
    void start() throws Exception {
        log = new SinkLog(Files.createDirectory(folder.resolve("data")));
        file = folder.resolve("out").resolve("audit.jsonl");
        sink = new AuditSink.File(file, 1_000_000_000, 2);
        Files.createDirectory(file.getParent());
    }

    @AfterEach
    void stop() {
        log.close();
    }

    @Test
    void sendsEveryRowOnceAcrossRestarts() throws Exception {
        log.add(3);
        AuditSinks sinks = log.follow(1_000, sink);
        log.untilSent(3);
        log.add(2);
        log.untilSent(5);
        assertThat(sinks.problems()).isEmpty();
        log.follow(1_000, sink);
        log.add(1);
        log.untilSent(6);
        assertThat(numbers()).containsExactly(1L, 2L, 3L, 4L, 5L, 6L);
        JsonNode row = lines().get(0);
        assertThat(row.get("from").asString()).isEqualTo("192.0.2.7");
        assertThat(row.get("reason").asString()).isEqualTo("because");
        assertThat(row.get("details").get("i").asInt()).isZero();
        assertThat(row.get("log").asString()).hasSize(32);
        assertThat(row.get("hash").asString()).hasSize(64);
    }

    @Test
    void aCenterThatDoesNotLeadSendsNothing() throws Exception {
        log.add(3);
        AuditSinks sinks = log.follow(1_000, sink);
        for (int i = 0; i < 1_000; i++) {
            sinks.turn(false);
        }
        sinks.close();
        assertThat(file).doesNotExist();
    }

    @Test
    void aSinkThatIsDownWaitsAndGetsEverythingLater() throws Exception {
        log.add(3);
        Files.createDirectory(file);
        AuditSinks sinks = log.follow(1_000, sink);
        log.until("the status tells", () -> !sinks.problems().isEmpty());
        assertThat(sinks.problems().get(0))
                .contains("audit sink file " + file + " is unavailable", "rows after 0 wait");
        assertThat(sinks.states().get(0).waiting()).isEqualTo(3);
        Files.delete(file);
        log.untilSent(3);
        log.until("the problem ends", () -> sinks.problems().isEmpty());
        assertThat(numbers()).containsExactly(1L, 2L, 3L);
    }

    @Test
    void aSinkThatIsTooFarBehindSaysWhatItLost() throws Exception {
        log.add(30);
        Files.createDirectory(file);
        AuditSinks sinks = log.follow(10, sink);
        log.until("rows are lost", () -> sinks.problems().size() == 2);
        assertThat(sinks.problems()).anySatisfy(text -> assertThat(text).contains("lost rows 1..20"));
        assertThat(sinks.states().get(0).dropped()).isEqualTo(20);
        log.add(5);
        // The next process knows it, too.
        AuditSinks next = log.follow(10, sink);
        log.until("more rows are lost", () -> next.states().get(0).dropped() == 25);
        Files.delete(file);
        log.untilSent(35);
        log.until("the sink is back", () -> next.states().get(0).problem() == null);
        List<JsonNode> lines = lines();
        assertThat(lines.get(0).get("kind").asString()).isEqualTo("audit_rows_dropped");
        assertThat(lines.get(0).get("first").asLong()).isEqualTo(1);
        assertThat(lines.get(0).get("last").asLong()).isEqualTo(25);
        assertThat(numbers()).hasSize(10).startsWith(26L).endsWith(35L);
    }

    @Test
    void rowsThatWereDeletedBecauseOfTheirAgeAreToldAsLost() throws Exception {
        log.add(6);
        log.sql("DELETE FROM command WHERE number <= 4");
        log.sql("INSERT INTO audit_segment (first_row, last_row, root, at) VALUES (1, 4, 'r', 5)");
        AuditSinks sinks = log.follow(1_000, sink);
        log.untilSent(6);
        assertThat(lines().get(0).get("last").asLong()).isEqualTo(4);
        assertThat(numbers()).containsExactly(5L, 6L);
        assertThat(sinks.problems()).singleElement().asString().contains("lost rows 1..4");
    }

    @Test
    void erasedContentIsNotSent() throws Exception {
        log.add(2);
        log.sql("UPDATE command SET origin = '', reason = '', body = '', salt = '', erased_by = 2 WHERE number = 1");
        AuditSinks unused = log.follow(1_000, sink);
        log.untilSent(2);
        assertThat(lines().get(0).has("reason")).isFalse();
        assertThat(lines().get(0).get("erased_by").asLong()).isEqualTo(2);
    }

    @Test
    void afterARestoredBackupItGoesOnWithTheNextRow() throws Exception {
        log.add(5);
        AuditSinks unused = log.follow(1_000, sink);
        log.untilSent(5);
        log.sql("DELETE FROM command WHERE number > 3");
        log.sql("UPDATE audit_head SET number = 3");
        log.untilSent(3);
    }

    private List<Long> numbers() throws IOException {
        return lines().stream()
                .filter(line -> line.has("number"))
                .map(line -> line.get("number").asLong())
                .toList();
    }

    private List<JsonNode> lines() throws IOException {
        return Files.readAllLines(file).stream()
                .map(line -> JsonMapper.shared().readTree(line))
                .toList();
    }
}
