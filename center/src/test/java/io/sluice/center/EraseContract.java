package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.sluice.center.ApiClient.Answer;
import io.sluice.center.access.Grant;
import io.sluice.center.access.Role;
import io.sluice.center.command.Actor;
import io.sluice.center.command.Command;
import io.sluice.center.database.Dump;
import io.sluice.core.time.Clock;
import io.sluice.core.time.ManualClock;
import io.sluice.runtime.erasure.ErasureOrder;
import io.sluice.runtime.erasure.ErasureResult;
import io.sluice.testkit.Await;
import io.sluice.testkit.LiveFolder;
import io.sluice.testkit.QuietClock;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Erasing a subject, on any database. */
abstract class EraseContract {

    private static final Duration SOON = Duration.ofMinutes(5);
    private static final String VALUE = "u-17-zqsecret";
    private static final JsonMapper JSON = JsonMapper.shared();

    @TempDir
    Path data;

    private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
    private String db = "";
    private Center center;
    private ApiClient api;
    private ApiClient person;

    /** Returns the address of an empty database. */
    abstract String emptyDatabase();

    @BeforeEach
    void start() throws Exception {
        logged.list = new CopyOnWriteArrayList<>();
        logged.start();
        ((Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME)).addAppender(logged);
        db = emptyDatabase();
        open(Clock.system());
        releaseRule("user", "");
    }

    @AfterEach
    void stop() {
        center.close();
        ((Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME)).detachAppender(logged);
    }

    private void open(Clock clock) throws Exception {
        center = Center.open(PreparedCenter.in(data, db), clock);
        api = ApiClient.of(center);
        boolean isNew =
                center.people().database().read(center.people().accounts()::all).isEmpty();
        person = isNew
                ? ApiClient.person(center, "root", Grant.of(Role.ADMINISTRATOR))
                : ApiClient.person(
                        center,
                        center.people()
                                .database()
                                .read(center.people().accounts()::all)
                                .get(0));
    }

    @Test
    void theSubjectIsNowhereAfterwards() throws Exception {
        override(VALUE, "for " + VALUE).expect(201);
        Answer ended = override(VALUE, "x").expect(201);
        api.send(
                        "DELETE",
                        "/api/overrides/" + ended.number("id") + "?reason=" + VALUE + "%20again",
                        "application/json",
                        "")
                .expect(200);
        override("u-18", "of somebody else").expect(201);
        Answer change = change("title of " + VALUE, "asked by " + VALUE + ".", 7);
        api.release(change, "{\"named\":{\"user\":[\"" + VALUE + "\",\"u-18\"]}}", ",\"reason\":\"" + VALUE + "\"")
                .expect(202);
        abortTrial();
        change("other", "asked by " + VALUE + "1", 8);
        long before = revision();

        FakeNode first = new FakeNode(api, "n1");
        FakeNode second = new FakeNode(api, "n2");
        first.runs(1);
        second.runs(1);
        Answer erasure = erase(VALUE, "case 4711").expect(202);
        long id = erasure.number("id");
        assertThat(erasure.string("state")).isEqualTo("pending");
        assertThat(erasure.json().at("/removed/overrides").asLong()).isEqualTo(2);
        assertThat(erasure.json().at("/removed/trial_callers").asLong()).isEqualTo(1);
        assertThat(erasure.json().at("/removed/audit_rows").asLong()).isGreaterThanOrEqualTo(4);
        assertThat(erasure.json().at("/removed/texts").asLong()).isGreaterThanOrEqualTo(2);
        assertThat(states(erasure)).containsEntry("n1", "asked").containsEntry("n2", "asked");
        assertThat(api.get("/api/overrides").json()).hasSize(1);
        Await.until("nodes get the overrides without it", SOON, () -> revision() > before);

        answer(first, id, Map.of("counts", 3L), List.of());
        Await.until("stored", SOON, () -> states(find(id)).get("n1").equals("answered"));
        assertThat(find(id).string("state")).isEqualTo("pending");
        assertThat(first.runs(1).erasures()).isEmpty();
        answer(second, id, Map.of(), List.of("counts of limit login.0: Redis is read-only"));
        Await.until("done", SOON, () -> find(id).string("state").equals("done"));
        JsonNode nodes = find(id).get("nodes");
        assertThat(nodes.get(0).at("/removed/counts").asLong()).isEqualTo(3);
        assertThat(nodes.get(1).get("left").get(0).asString()).contains("read-only");
        assertThat(sealed(id)).isEmpty();
        assertThat(person.get("/api/erasures").json()).hasSize(1);

        assertNowhere(VALUE);
        assertThat(dump()).contains("u-18").contains("(erased)").contains("\"erase_subject\"");
        assertThat(api.get("/api/commands?limit=200").text())
                .contains("erase_subject")
                .doesNotContain(VALUE + ".");
        assertVerifies();
    }

    @Test
    void anyValueIsFoundAsItIs() throws Exception {
        List<String> values = List.of(
                "o'brien \"the\" \\ slash",
                "100%_of'; DROP TABLE command; --",
                "王小明",
                "zoë@example.com",
                "tab\there",
                "🚦traffic",
                "<script>=cmd()</script>",
                "x".repeat(990));
        for (String value : values) {
            override(value, "reason of " + value + " here").expect(201);
            change("t", "请删除" + value + "的数据", 6);
        }
        for (String value : values) {
            Answer erasure = erase(value, "case 1").expect(202);
            assertThat(erasure.json().at("/removed/overrides").asLong())
                    .as(value)
                    .isEqualTo(1);
            assertThat(erasure.json().at("/removed/audit_rows").asLong())
                    .as(value)
                    .isEqualTo(2);
            assertThat(erasure.text()).doesNotContain(value);
        }
        for (String value : values) {
            assertNowhere(value);
        }
        assertThat(api.get("/api/overrides").json()).isEmpty();
        assertVerifies();
    }

    @Test
    void aShortValueErasesOnlyItself() {
        override("1", "x").expect(201);
        override("10", "x").expect(201);
        change("1", "limit 1 of 10", 6);
        Answer erasure = erase("1", "case").expect(202);
        assertThat(erasure.json().at("/removed/overrides").asLong()).isEqualTo(1);
        // The row and the change whose whole title it is.
        assertThat(erasure.json().at("/removed/audit_rows").asLong()).isEqualTo(1);
        assertThat(erasure.json().at("/removed/texts").asLong()).isEqualTo(1);
        assertThat(api.get("/api/overrides").json()).hasSize(1);
        assertVerifies();
    }

    @Test
    void aNameOfAFieldErasesNothing() {
        change("other", "x", 7);
        for (String name : List.of("digest", "title", "rule")) {
            Answer erasure = erase(name, "case").expect(202);
            assertThat(erasure.json().at("/removed/audit_rows").asLong())
                    .as(name)
                    .isZero();
        }
    }

    @Test
    void aCommonWordIsRefused() {
        change("t", "because of " + VALUE, 7);
        center.people().database().write(client -> {
            for (int i = 0; i < 1_000; i++) {
                client.sql("INSERT INTO settings_proposal (id, base, approvals, expires_millis, emergency_millis,"
                                + " raise_percent, reason, actor, identity, at, state)"
                                + " VALUES (?, 1, 1, 1, 1, 1, ?, 'x', '', 1, 'rejected')")
                        .params(1_000 + i, "for " + VALUE)
                        .update();
            }
            return true;
        });
        assertThat(erase(VALUE, "case").expect(409).text())
                .contains("1 audit rows and 1001 texts name it")
                .contains("choose a more specific value")
                .doesNotContain(VALUE);
        assertThat(dump()).contains("because of " + VALUE).doesNotContain("(erased)");
        assertThat(person.get("/api/erasures").json()).isEmpty();
        assertVerifies();
    }

    /** Otherwise an administrator could remove from where they used the center. */
    @Test
    void theAddressThatARowCameFromStays() {
        change("t", "x", 7);
        String origin = center.people().database().read(client -> client.sql(
                        "SELECT origin FROM command WHERE kind = 'open_change' AND number > 1")
                .query(String.class)
                .list()
                .get(0));
        Answer erasure = person.post(
                        "/api/erasures",
                        JSON.writeValueAsString(Map.of("attribute", "ip", "value", origin, "reason", "case")))
                .expect(202);
        assertThat(erasure.json().at("/removed/audit_rows").asLong()).isZero();
        assertThat(erasure.get("left").toString())
                .contains("came from the subject's address")
                .doesNotContain(origin);
        String own = center.people().database().read(client -> client.sql(
                        "SELECT origin FROM command WHERE kind = 'erase_subject'")
                .query(String.class)
                .single());
        assertThat(own).isEqualTo(origin);
    }

    @Test
    void rulesThatNameTheSubjectAreLeftAndSaid() {
        releaseRule("user", ",\"match\":{\"user\":\"" + VALUE + "\"}");
        Answer open = api.post(
                        "/api/changes", ApiClient.change(2, rule("user", 9, ",\"match\":{\"user\":\"" + VALUE + "\"}")))
                .expect(201);
        Answer erasure = erase(VALUE, "case").expect(202);
        String left = erasure.get("left").toString();
        assertThat(left)
                .contains("rules in force: login names the subject (release a change without it)")
                .contains("changes " + open.number("id") + ": their rules name the subject")
                .contains("closed changes 2")
                .doesNotContain(VALUE);
        releaseRule("user", "");
        assertThat(erase(VALUE, "case").expect(202).get("left").toString())
                .contains("versions 2: their rules")
                .doesNotContain("rules in force");
        assertVerifies();
    }

    @Test
    void overridesByAHashAreFoundByTheHashesOfNodes() {
        String hashed =
                "{\"put\":{\"id\":\"mail\",\"limits\":[{\"by\":\"user\",\"privacy\":\"hash\",\"rate\":\"5/s\"}]}}";
        api.release(api.post("/api/changes", ApiClient.change(1, hashed)).expect(201));
        for (String hash : List.of("h".repeat(43), "i".repeat(43))) {
            api.post(
                            "/api/overrides",
                            "{\"rule\":\"mail\",\"limit\":\"mail.0\",\"caller\":{\"hash\":\"" + hash
                                    + "\"},\"numbers\":{\"rate\":\"500/s\"},\"in\":\"1h\",\"reason\":\"x\"}")
                    .expect(201);
        }
        FakeNode node = new FakeNode(api, "n1");
        node.runs(2);
        long before = revision();
        long id = erase(VALUE, "case").expect(202).number("id");
        // It was not known when the erasure began, so it answers for itself alone.
        FakeNode stranger = new FakeNode(api, "stranger");
        stranger.erased(new ErasureResult(id, Map.of(), List.of(), List.of("i".repeat(43))));
        stranger.runs(2);
        Await.until("stored", SOON, () -> states(find(id))
                .getOrDefault("stranger", "")
                .equals("answered"));
        // Nobody asked for this one.
        node.erased(new ErasureResult(id + 1, Map.of(), List.of(), List.of("i".repeat(43))));
        node.runs(2);
        node.erased(new ErasureResult(id, Map.of("counts", 1L), List.of(), List.of("h".repeat(43))));
        Await.until("done", SOON, () -> {
            node.runs(2);
            return find(id).string("state").equals("done");
        });
        assertThat(find(id).json().at("/removed/overrides").asLong()).isEqualTo(1);
        assertThat(api.get("/api/overrides").json()).hasSize(1);
        assertThat(api.get("/api/overrides").text()).contains("i".repeat(43));
        Await.until("nodes get the overrides without it", SOON, () -> revision() > before);
        assertVerifies();
    }

    @Test
    void anOrderWaitsThroughARestartAndExpires() throws Exception {
        FakeNode gone = new FakeNode(api, "gone");
        gone.runs(1);
        Await.until("the report is stored", SOON, () -> dump().contains("\"id\":\"gone\""));
        long id = erase(VALUE, "case").expect(202).number("id");
        center.close();
        assertThat(Files.readString(data.resolve("erasures"))).doesNotContain(VALUE);
        ManualClock clock = QuietClock.at(Clock.system().epochMicros());
        open(clock);
        assertThat(find(id).string("state")).isEqualTo("pending");
        // A node that appears later is asked too.
        FakeNode late = new FakeNode(api, "late");
        ErasureOrder order = late.runs(1).erasures().get(0);
        assertThat(order.id()).isEqualTo(id);
        assertThat(order.subject().value()).isEqualTo(VALUE);
        assertThat(order.subject().known()).containsEntry("tenant", "acme");
        late.erased(new ErasureResult(id, Map.of("counts", 2L), List.of(), List.of()));
        Await.until("stored", SOON, () -> {
            clock.advance(Duration.ofMillis(200));
            late.runs(1);
            return states(find(id)).getOrDefault("late", "").equals("answered");
        });
        assertThat(find(id).string("state")).isEqualTo("pending");
        clock.advance(Duration.ofDays(29));
        assertThat(new FakeNode(api, "later").runs(1).erasures()).hasSize(1);
        clock.advance(Duration.ofDays(2));
        Await.until("expired", SOON, () -> {
            clock.advance(Duration.ofSeconds(1));
            return find(id).string("state").equals("expired");
        });
        assertThat(states(find(id))).containsEntry("gone", "not_reached");
        assertThat(sealed(id)).isEmpty();
        assertThat(new FakeNode(api, "latest").runs(1).erasures()).isEmpty();
        assertThat(api.get("/api/commands").text()).contains("end_erasure");
    }

    @Test
    void withoutNodesItIsDoneSoon() {
        long id = erase(VALUE, "case").expect(202).number("id");
        Await.until("done", SOON, () -> find(id).string("state").equals("done"));
        assertThat(find(id).get("nodes")).isEmpty();
    }

    @Test
    void anOverrideMadeMeanwhileIsErasedOrComesLater() throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        ExecutorService threads = Executors.newFixedThreadPool(3);
        List<Future<Object>> writers = new ArrayList<>();
        try {
            for (int i = 0; i < 3; i++) {
                writers.add(threads.submit(() -> {
                    // All of them fit into one page of each list.
                    for (int made = 0; made < 40 && !stop.get(); made++) {
                        override(VALUE, "x").expect(201);
                    }
                    return true;
                }));
            }
            Await.until("some overrides", SOON, () -> !api.get("/api/overrides")
                    .json()
                    .isEmpty());
            Answer erasure = erase(VALUE, "case").expect(202);
            assertThat(erasure.json().at("/removed/overrides").asLong()).isPositive();
            stop.set(true);
            for (Future<Object> writer : writers) {
                writer.get();
            }
        } finally {
            stop.set(true);
            threads.shutdownNow();
        }
        long erasing = center.people().database().read(client -> client.sql(
                        "SELECT number FROM command WHERE kind = 'erase_subject'")
                .query(Long.class)
                .single());
        List<Long> remaining = new ArrayList<>();
        api.get("/api/overrides?limit=200")
                .json()
                .forEach(each -> remaining.add(each.get("id").asLong()));
        for (JsonNode command : api.get("/api/commands?limit=200").json()) {
            if (command.get("kind").asString().equals("override_caller")) {
                long override = command.at("/body/id").asLong();
                assertThat(remaining.contains(override))
                        .as("override " + override)
                        .isEqualTo(command.get("number").asLong() > erasing);
            }
        }
        assertVerifies();
    }

    @Test
    void whatIsWrongIsRefusedWithoutRepeatingTheSubject() {
        for (String wrong : List.of(
                "{}",
                "{\"attribute\":\"user\",\"reason\":\"x\"}",
                "{\"value\":\"" + VALUE + "\",\"reason\":\"x\"}",
                "{\"attribute\":\"user\",\"value\":\"" + VALUE + "\"}",
                "{\"attribute\":\"user\",\"value\":7,\"reason\":\"x\"}",
                "{\"attribute\":\"user\",\"value\":\"" + VALUE + "\",\"reason\":\"because of " + VALUE + "\"}",
                "{\"attribute\":\"user\",\"value\":\"" + VALUE + "\",\"known\":[],\"reason\":\"x\"}",
                "{\"attribute\":\"user\",\"value\":\"" + VALUE + "\",\"known\":{\"a\":1},\"reason\":\"x\"}",
                "{\"attribute\":\"user\",\"value\":\"" + VALUE + "y".repeat(1000) + "\",\"reason\":\"x\"}",
                "{\"attribute\":\"user\",\"value\":\"" + VALUE + "\",\"more\":1,\"reason\":\"x\"}")) {
            assertThat(person.post("/api/erasures", wrong).expect(400).text()).doesNotContain(VALUE);
        }
        api.post("/api/erasures", body(VALUE, "case")).expect(403);
        person.get("/api/erasures/7").expect(404);
        assertThat(person.get("/api/erasures").json()).isEmpty();
        assertThat(api.get("/api/commands").text()).doesNotContain("erase_subject");
    }

    /** As the manual says: an empty database, the same data directory. */
    @Test
    void aRestoredBackupIsErasedAgain() throws Exception {
        override(VALUE, "x").expect(201);
        override("u-18", "x").expect(201);
        Answer change = change("title of " + VALUE, "asked by (" + VALUE + ").", 7);
        api.release(change, "{\"named\":{\"user\":[\"" + VALUE + "\"]}}", "").expect(202);
        Path backup = maintenance().backUp();
        long rows = api.post("/api/audit/verify", "").number("rows");
        Answer erasure = erase(VALUE, "case").expect(202);
        // Nodes refuse a trial whose callers change.
        assertThat(erasure.get("left").toString()).contains("rollouts 2: a trial that goes on names the subject");
        assertThat(erasure.json().at("/removed/trial_callers").asLong()).isZero();
        abortTrial();
        Await.until("done", SOON, () -> find(1).string("state").equals("done"));
        assertThat(find(1).json().at("/removed/trial_callers").asLong()).isEqualTo(1);
        assertThat(find(1).get("left").toString()).doesNotContain("trial");
        center.close();
        emptyAgain();
        Path key = data.resolve("erasure-key");
        Path kept = data.resolve("kept");
        Files.move(key, kept);
        assertThatThrownBy(() -> maintenance().restore(backup))
                .isInstanceOf(MaintenanceFailedException.class)
                .hasMessageContaining("erasure-key: missing beside erasures");
        Files.move(kept, key);
        assertThat(maintenance().restore(backup).version()).isEqualTo(1);

        open(Clock.system());
        assertThat(api.get("/api/overrides").json()).hasSize(1);
        assertThat(find(1).get("left").toString()).contains("rollouts 2: a trial that goes on names the subject");
        abortTrial();
        Await.until("done", SOON, () -> find(1).string("state").equals("done"));
        assertThat(api.get("/api/rollouts/2").json().at("/trial/named/0").asString())
                .isEqualTo("er***");
        Answer restored = find(1);
        assertThat(restored.string("subject_hash")).isEqualTo(erasure.string("subject_hash"));
        assertThat(restored.json().at("/removed/audit_rows"))
                .isEqualTo(erasure.json().at("/removed/audit_rows"));
        assertThat(restored.json().at("/removed/texts"))
                .isEqualTo(erasure.json().at("/removed/texts"));
        assertThat(restored.get("left").toString()).contains("no longer asked");
        assertThat(api.get("/api/commands").text()).containsOnlyOnce("\"erase_again\"");
        assertThat(api.post("/api/audit/verify", "").number("rows")).isGreaterThan(rows);
        assertVerifies();
        assertNowhere(VALUE);

        // Nothing happens at the next start, and numbers are not used again.
        center.close();
        open(Clock.system());
        assertThat(api.get("/api/commands").text()).containsOnlyOnce("\"erase_again\"");
        assertThat(erase("u-18", "case").expect(202).number("id")).isEqualTo(2);
        assertVerifies();
    }

    /** The directory {@code backups} is in the one that has the list. */
    @Test
    void aBackupThatIsRestoredElsewhereFindsTheList(@TempDir Path elsewhere) throws Exception {
        override(VALUE, "x").expect(201);
        Path backup = maintenance().backUp();
        erase(VALUE, "case").expect(202);
        center.close();
        String other = emptyDatabase();
        CenterSettings settings = CenterSettings.embedded(elsewhere).db(other);
        Center.open(settings).close();
        new CenterMaintenance(settings).restore(backup);
        center = Center.open(settings);
        api = ApiClient.of(center);
        assertThat(api.get("/api/overrides").json()).isEmpty();
        assertThat(api.get("/api/status").get("problems").toString()).doesNotContain("erasure");
        ApiClient.person(center, "ann", Grant.of(Role.ADMINISTRATOR))
                .post("/api/erasures", body("u-18", "case"))
                .expect(202);
        assertVerifies();
    }

    /** A row that was not there when the subject was erased is found by the hash of its words. */
    @Test
    void aRestoredBackupMayHaveMoreThanWasErased() throws Exception {
        change("t", "asked by " + VALUE + ", who is " + VALUE + "1", 7);
        change("t", "asked by " + VALUE + "1", 8);
        Path backup = maintenance().backUp();
        sql("UPDATE rule_change SET reason = 'pruned'");
        erase(VALUE, "case").expect(202);
        center.close();
        String list = Files.readString(data.resolve("erasures"));
        // As if the row had been pruned too.
        Files.writeString(data.resolve("erasures"), list.replaceAll("\"rows\":\\[[^]]*]", "\"rows\":[]"));
        emptyAgain();
        maintenance().restore(backup);
        open(Clock.system());
        assertNowhere(VALUE);
        assertThat(dump()).contains(VALUE + "1");
        assertVerifies();
    }

    /** The list of another database must not change this one. */
    @Test
    void aCenterWithAForeignKeyErasesNothing(@TempDir Path elsewhere) throws Exception {
        override(VALUE, "x").expect(201);
        center.close();
        try (Center other = Center.open(PreparedCenter.in(elsewhere))) {
            ApiClient.person(other, "ann", Grant.of(Role.ADMINISTRATOR))
                    .post("/api/erasures", body(VALUE, "case"))
                    .expect(202);
        }
        for (String file : List.of("erasure-key", "erasures")) {
            Files.copy(elsewhere.resolve(file), data.resolve(file), StandardCopyOption.REPLACE_EXISTING);
        }
        open(Clock.system());
        assertThat(api.get("/api/overrides").json()).hasSize(1);
        assertThat(api.get("/api/commands").text()).doesNotContain("erase_again");
        assertThat(api.get("/api/status").get("problems").toString()).contains("erasure-key: not the one");
        erase(VALUE, "case").expect(409);
    }

    @Test
    void auditRowsAreNotEmptiedWithoutTheKeyOfTheLog() throws Exception {
        change("t", "asked by " + VALUE, 7);
        center.close();
        Path key = data.resolve("audit-key");
        Path kept = Files.move(key, data.resolve("kept"));
        open(Clock.system());
        assertThat(erase(VALUE, "case").expect(409).text())
                .contains("audit-key: missing")
                .doesNotContain(VALUE);
        assertThat(person.get("/api/erasures").json()).isEmpty();
        erase("somebody-else", "no row names them").expect(202);
        Files.move(kept, key);
        Answer erasure = erase(VALUE, "case").expect(202);
        assertThat(erasure.json().at("/removed/audit_rows").asLong()).isPositive();
        assertVerifies();
        assertNowhere(VALUE);
    }

    @Test
    void aRestoredBackupWithoutTheKeyOfTheLogTellsWhatIsLeft() throws Exception {
        change("t", "asked by " + VALUE, 7);
        Path backup = maintenance().backUp();
        erase(VALUE, "case").expect(202);
        center.close();
        emptyAgain();
        Path key = data.resolve("audit-key");
        Path kept = Files.move(key, data.resolve("kept"));
        maintenance().restore(backup);
        open(Clock.system());
        assertThat(find(1).get("left").toString())
                .contains("audit rows: 1 keep")
                .contains("audit-key: missing");
        assertThat(find(1).json().at("/removed/audit_rows").asLong()).isZero();
        assertVerifies();
        Files.move(kept, key);
        assertThat(erase(VALUE, "again")
                        .expect(202)
                        .json()
                        .at("/removed/audit_rows")
                        .asLong())
                .isEqualTo(1);
        assertVerifies();
        assertNowhere(VALUE);
    }

    @Test
    void rowsThatAreEmptiedInTheDatabaseAreNoticedThoughARowSaysThatTheyWereErased() {
        change("t", "x", 7);
        center.people().database().write(client -> {
            long row = center.people()
                    .log()
                    .add(
                            client,
                            Actor.CENTER,
                            new Command.Act("erase_subject", "", Map.of("erasure", 1, "rows", List.of(1))));
            return client.sql("UPDATE command SET salt = '', origin = '', reason = '', body = '', erased_by = ?"
                            + " WHERE number = 1")
                    .param(row)
                    .update();
        });
        assertThat(api.post("/api/audit/verify", "").expect(200).string("problem"))
                .contains("its content is gone, and no later row tells that it was erased");
    }

    private void abortTrial() {
        api.post("/api/rollouts/2/abort", "{\"reason\":\"x\"}").expect(202);
    }

    private CenterMaintenance maintenance() {
        return new CenterMaintenance(CenterSettings.embedded(data).db(db));
    }

    private void emptyAgain() throws IOException {
        db = emptyDatabase();
        for (String file : List.of("center.db", "center.db-wal", "center.db-shm")) {
            Files.deleteIfExists(data.resolve(file));
        }
    }

    private void sql(String text) {
        center.people().database().write(client -> client.sql(text).update());
    }

    private Map<String, String> states(Answer erasure) {
        Map<String, String> states = new java.util.TreeMap<>();
        erasure.get("nodes")
                .forEach(node ->
                        states.put(node.get("id").asString(), node.get("state").asString()));
        return states;
    }

    private static void answer(FakeNode node, long id, Map<String, Long> removed, List<String> left) {
        List<ErasureOrder> orders = node.runs(1).erasures();
        assertThat(orders).hasSize(1);
        assertThat(orders.get(0).id()).isEqualTo(id);
        assertThat(orders.get(0).subject().value()).isEqualTo(VALUE);
        node.erased(new ErasureResult(id, removed, left, List.of())).runs(1);
    }

    private Answer erase(String value, String reason) {
        return person.post("/api/erasures", body(value, reason));
    }

    private static String body(String value, String reason) {
        return JSON.writeValueAsString(
                Map.of("attribute", "user", "value", value, "known", Map.of("tenant", "acme"), "reason", reason));
    }

    private Answer find(long id) {
        return api.get("/api/erasures/" + id).expect(200);
    }

    private Answer override(String value, String reason) {
        return api.post(
                "/api/overrides",
                JSON.writeValueAsString(Map.of(
                        "rule",
                        "login",
                        "limit",
                        "login.0",
                        "caller",
                        Map.of("user", value),
                        "numbers",
                        Map.of("limit", 500),
                        "in",
                        "1h",
                        "reason",
                        reason)));
    }

    private Answer change(String title, String reason, int limit) {
        return api.post(
                        "/api/changes",
                        JSON.writeValueAsString(Map.of(
                                "title",
                                title,
                                "reason",
                                reason,
                                "base",
                                api.get("/api/rules").number("version"),
                                "edits",
                                List.of(JSON.readTree(rule("user", limit, ""))))))
                .expect(201);
    }

    private void releaseRule(String by, String more) {
        long base = api.get("/api/rules").number("version");
        api.release(api.post("/api/changes", ApiClient.change(base, rule(by, 5 + (int) base, more)))
                .expect(201));
    }

    private static String rule(String by, int limit, String more) {
        return "{\"put\":{\"id\":\"login\",\"resource\":\"/login\"" + more + ",\"limits\":[{\"by\":\"" + by
                + "\",\"limit\":" + limit + ",\"window\":\"1m\"}]}}";
    }

    private long revision() {
        return api.get("/api/status").json().at("/adjustments/revision").asLong();
    }

    private String sealed(long id) {
        return center.people().database().read(client -> client.sql("SELECT sealed FROM erasure WHERE id = ?")
                .param(id)
                .query(String.class)
                .single());
    }

    private void assertVerifies() {
        Answer answer = api.post("/api/audit/verify", "").expect(200);
        assertThat(answer.get("problem").isNull()).as(answer.text()).isTrue();
    }

    private void assertNowhere(String value) {
        String escaped = JSON.writeValueAsString(value);
        String twice = JSON.writeValueAsString(escaped);
        List<String> spellings =
                List.of(value, escaped.substring(1, escaped.length() - 1), twice.substring(3, twice.length() - 3));
        String dump = dump();
        String log = logged.list.stream()
                .map(event -> event.getFormattedMessage() + event.getThrowableProxy())
                .reduce("", String::concat);
        for (String spelling : spellings) {
            // "1" at the end is somebody else.
            assertThat(dump.replace(spelling + "1", "")).doesNotContain(spelling);
            assertThat(log).doesNotContain(spelling);
            String sought = new String(spelling.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
            // While somebody reads, the files cannot be cleaned; the center tries again.
            Await.until("no file has it", SOON, () -> filesWith(sought).isEmpty());
        }
    }

    private List<Path> filesWith(String sought) {
        return LiveFolder.contents(data).entrySet().stream()
                .filter(file -> file.getValue().replace(sought + "1", "").contains(sought))
                .map(Map.Entry::getKey)
                .toList();
    }

    private String dump() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            new Dump(center.people().database()).write(out);
            return new String(
                    new GZIPInputStream(new ByteArrayInputStream(out.toByteArray())).readAllBytes(),
                    StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
