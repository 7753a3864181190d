package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.ApiClient.Answer;
import io.sluice.center.audit.AuditTables;
import io.sluice.center.command.Actor;
import io.sluice.center.command.Command;
import io.sluice.runtime.witness.TreeHash;
import io.sluice.testkit.Await;
import io.sluice.testkit.database.MariaDbServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Somebody changes the log of commands in the database. */
class AuditLogTest {

    private static final int ROWS = 8;

    @TempDir
    Path data;

    private Center center;
    private ApiClient api;

    @BeforeEach
    void start() throws Exception {
        center = Center.open(PreparedCenter.in(data));
        api = ApiClient.of(center);
        for (int i = 0; i < ROWS / 2; i++) {
            api.release("login", i + 1);
        }
        Await.until("the newest row is remembered", Duration.ofMinutes(5), () -> {
            center.step();
            return remembered() == ROWS;
        });
        assertThat(verify().get("good").asBoolean()).isTrue();
    }

    @AfterEach
    void stop() {
        center.close();
    }

    @Test
    void aChangedRowIsNamed() {
        sql("UPDATE command SET reason = 'another' WHERE number = 3");
        assertBad(3, "changed: origin, reason or body");
    }

    @Test
    void aChangedRowIsNoticedWithoutAVerification() throws Exception {
        sql("UPDATE command SET reason = 'another' WHERE number = 3");
        // A round begins with the center, and later ones every 20 minutes.
        center.close();
        center = Center.open(PreparedCenter.in(data));
        api = ApiClient.of(center);
        Await.until(
                "the status says so",
                Duration.ofMinutes(5),
                () -> api.get("/api/status").expect(200).text().contains("the audit log: row 3: changed: origin"));
    }

    @Test
    void aChangedActorIsNamed() {
        sql("UPDATE command SET actor = 'user:somebody' WHERE number = 5");
        assertBad(5, "changed: the row is not the one");
    }

    @Test
    void aRemovedRowIsNamed() {
        sql("DELETE FROM command WHERE number = 4");
        assertBad(4, "missing: the next row is 5");
    }

    @Test
    void anInsertedRowIsNamed() {
        sql(
                "INSERT INTO command SELECT 9, at, actor, kind, reason, expected, body, salt, commitment, hash, origin, outcome,"
                        + " erased_by FROM command WHERE number = 8");
        assertBad(9, "changed: the row is not the one");
    }

    @Test
    void aRowBeforeTheFirstIsNoticed() {
        for (long number : new long[] {0, -7}) {
            sql("INSERT INTO command SELECT " + number
                    + ", at, actor, kind, reason, expected, body, salt, commitment, hash, origin, outcome, erased_by"
                    + " FROM command WHERE number = 8");
            assertThat(verify().get("good").asBoolean()).isFalse();
            assertThat(verify().string("problem"))
                    .isEqualTo("inserted: a row has number " + number + ", but the first row of a log is 1");
        }
    }

    @Test
    void aLogThatIsCutOffIsNoticed() {
        sql("DELETE FROM command WHERE number > 6");
        assertBad(7, "missing: rows up to 8 were cut off");
        sql("UPDATE counter SET value = 6 WHERE name = 'command'");
        assertBad(7, "missing: rows up to 8 were cut off");
        Await.until(
                "the status tells",
                Duration.ofMinutes(5),
                () -> api.get("/api/status").expect(200).text().contains("no longer has row 8"));
    }

    @Test
    void aLogThatWasRewrittenWithGoodHashesIsNoticed() {
        sql("UPDATE command SET actor = 'user:somebody' WHERE number = 5");
        center.people().database().write(client -> {
            client.sql("DELETE FROM audit_node").update();
            client.sql("DELETE FROM audit_checkpoint").update();
            client.sql("UPDATE audit_head SET number = 0, frontier = ''").update();
            client.sql("UPDATE command SET hash = ''").update();
            rebuildTree(client);
            return true;
        });
        assertBad(8, "replaced");
        api.release("login", 99);
        Await.until(
                "the status tells",
                Duration.ofMinutes(5),
                () -> api.get("/api/status").expect(200).text().contains("no longer has row 8"));
    }

    @Test
    void aLogThatWasRewrittenBesideItsCheckpointsIsNamedByThem() {
        Await.until(
                "row 8 is signed",
                Duration.ofMinutes(5),
                () -> verify().json().at("/integrity/signed_until").asLong() == ROWS);
        sql("UPDATE command SET actor = 'user:somebody' WHERE number = 8");
        center.people().database().write(client -> {
            client.sql("DELETE FROM audit_node").update();
            client.sql("UPDATE audit_head SET number = 0, frontier = ''").update();
            client.sql("UPDATE command SET hash = ''").update();
            rebuildTree(client);
            return true;
        });
        assertBad(8, "replaced: this or an earlier row");
        assertThat(verify().json().at("/integrity/problems").toString()).contains("that the checkpoint of");
    }

    @Test
    void aChangedCheckpointIsNoticed() {
        sql("UPDATE audit_checkpoint SET at = at + 1");
        Answer answer = verify();
        assertThat(answer.get("good").asBoolean()).isFalse();
        assertThat(answer.get("first_bad").isNull()).isTrue();
        assertThat(answer.string("problem")).contains("has a wrong signature");
        sql("UPDATE audit_checkpoint SET root = 'x'");
        assertThat(verify().string("problem")).contains("the table of checkpoints is damaged");
    }

    @Test
    void rowsFromBeforeTheChainAreChainedAtTheStart() throws Exception {
        center.people().database().write(client -> {
            client.sql("UPDATE command SET salt = '', commitment = '', hash = ''")
                    .update();
            client.sql("DELETE FROM audit_node").update();
            client.sql("DELETE FROM audit_checkpoint").update();
            client.sql("DELETE FROM audit_key").update();
            return client.sql("UPDATE audit_head SET log = '', number = 0, frontier = '', hash = ?")
                    .param(TreeHash.EMPTY)
                    .update();
        });
        center.close();
        Files.delete(data.resolve("audit-head"));
        center = Center.open(PreparedCenter.in(data));
        api = ApiClient.of(center);
        assertThat(verify().get("good").asBoolean()).isTrue();
        api.release("login", 77);
        assertThat(verify().get("good").asBoolean()).isTrue();
    }

    @Test
    void aRowWithoutAHashIsNotAddedToTheTreeOfALogThatHasAnId() throws Exception {
        sql(
                "INSERT INTO command (number, at, actor, kind, reason, expected, body) VALUES (9, 1, 'user:a', 'x', '', 0, '{}')");
        sql("UPDATE counter SET value = 9 WHERE name = 'command'");
        center.close();
        center = Center.open(PreparedCenter.in(data));
        api = ApiClient.of(center);
        assertBad(9, "changed: ");
    }

    @Test
    void commandsAtOnceNeverBreakTheChain() throws Exception {
        try (Center shared = Center.open(CenterSettings.embedded(data.resolve("shared"))
                .db(MariaDbServer.shared().database()))) {
            List<Callable<Object>> writers = java.util.Collections.nCopies(8, () -> {
                for (int i = 0; i < 20; i++) {
                    shared.people().database().write(client -> {
                        long rows = client.sql("SELECT COUNT(*) FROM command")
                                .query(Long.class)
                                .single();
                        return shared.people()
                                .log()
                                .add(client, Actor.CENTER, new Command.Act("test", "", Map.of("rows", rows)));
                    });
                }
                return true;
            });
            ExecutorService threads = Executors.newFixedThreadPool(writers.size());
            try {
                for (Future<Object> writer : threads.invokeAll(writers)) {
                    writer.get();
                }
            } finally {
                threads.shutdownNow();
            }
            Answer answer = ApiClient.of(shared).post("/api/audit/verify", "").expect(200);
            assertThat(answer.get("problem").isNull()).as(answer.text()).isTrue();
            assertThat(answer.number("rows")).isGreaterThanOrEqualTo(160);
        }
    }

    private void assertBad(long row, String problem) {
        Answer answer = verify();
        assertThat(answer.get("good").asBoolean()).isFalse();
        assertThat(answer.number("first_bad")).isEqualTo(row);
        assertThat(answer.string("problem")).startsWith(problem);
    }

    private Answer verify() {
        return api.post("/api/audit/verify", "").expect(200);
    }

    private long remembered() {
        return verify().number("remembered");
    }

    private void sql(String text) {
        center.people().database().write(client -> client.sql(text).update());
    }

    /** Builds the tree anew, as before the log had an id. */
    private void rebuildTree(JdbcClient client) {
        String id = AuditTables.log(client);
        client.sql("UPDATE audit_head SET log = ''").update();
        center.people().log().addOldRows(client);
        client.sql("UPDATE audit_head SET log = ?").param(id).update();
    }
}
