package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.ApiClient.Answer;
import io.sluice.center.access.Scope;
import io.sluice.center.command.AnsweredRequests;
import io.sluice.center.database.Database;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A change that is sent again with its {@code Idempotency-Key} is made once, and answered as it was first. */
class RepeatedRequestTest {

    private static final String SWITCH = "{\"rule\":\"first\",\"to\":\"shadow\",\"in\":\"1h\",\"reason\":\"test\"}";

    @TempDir
    static Path data;

    private static SecondPerson center;

    @BeforeAll
    static void start() throws Exception {
        center = SecondPerson.in(data);
    }

    @AfterAll
    static void stop() {
        center.close();
    }

    @Test
    void theFirstAnswerIsRepeated() {
        ApiClient api = keyed(center.machine(), "aaaaaaaaaaaaaaaa-1");
        Answer first = api.post("/api/switch", SWITCH).expect(201);
        long commands = commands();
        assertThat(api.post("/api/switch", SWITCH)).isEqualTo(first);
        assertThat(api.post("/api/switch", SWITCH)).isEqualTo(first);
        assertThat(commands()).isEqualTo(commands);
    }

    @Test
    void aReleaseIsRepeatedAndNotRefusedBecauseItsChangeIsReleased() {
        Answer change = center.machine().open(center.version(), "repeated", 5).expect(201);
        ApiClient api = keyed(center.machine(), "aaaaaaaaaaaaaaaa-2");
        Answer released = api.release(change, "\"all\"", "").expect(202);
        assertThat(api.release(change, "\"all\"", "")).isEqualTo(released);
        assertThat(center.version()).isEqualTo(released.number("version"));
    }

    @Test
    void anotherRequestWithTheSameKeyIsRefused() {
        ApiClient api = keyed(center.machine(), "aaaaaaaaaaaaaaaa-3");
        api.post("/api/switch", SWITCH).expect(201);
        long commands = commands();
        for (Answer refused : List.of(
                api.post("/api/switch", SWITCH.replace("1h", "2h")),
                api.post("/api/switch?x=1", SWITCH),
                api.post("/api/rollback", SWITCH))) {
            assertThat(refused.expect(422).string("detail")).contains("Idempotency-Key: used for another request");
        }
        assertThat(commands()).isEqualTo(commands);
    }

    @Test
    void eachActorHasOwnKeys() {
        String key = "aaaaaaaaaaaaaaaa-4";
        long first = keyed(center.as("olga"), key)
                .post("/api/switch", SWITCH)
                .expect(201)
                .number("id");
        long second = keyed(center.as("root"), key)
                .post("/api/switch", SWITCH)
                .expect(201)
                .number("id");
        assertThat(second).isNotEqualTo(first);
        // Another session of the same person is the same actor.
        assertThat(keyed(center.as("olga"), key)
                        .post("/api/switch", SWITCH)
                        .expect(201)
                        .number("id"))
                .isEqualTo(first);
    }

    @Test
    void aRefusalIsDecidedAgain() {
        ApiClient api = keyed(center.machine(), "aaaaaaaaaaaaaaaa-5");
        String body = "{\"rule\":\"later\",\"to\":\"shadow\",\"in\":\"1h\",\"reason\":\"test\"}";
        api.post("/api/switch", body).expect(422);
        center.machine().release("later", 5);
        api.post("/api/switch", body).expect(201);
    }

    @Test
    void aRightThatEndedIsNeededAgain() {
        String token = "{\"name\":\"ci\",\"scopes\":[\"read\"],\"in\":\"1h\"}";
        ApiClient program = keyed(center.tokenOf("olga", Scope.values()), "aaaaaaaaaaaaaaaa-6");
        program.post("/api/switch", SWITCH).expect(201);
        center.change("olga", account -> account.disabled(1));
        program.post("/api/switch", SWITCH).expect(403);
        center.change("olga", account -> account.disabled(0));
        // A secret is repeated too: it is stored encrypted with the key, which the database does not have.
        ApiClient person = keyed(center.as("root"), "aaaaaaaaaaaaaaaa-7");
        Answer made = person.post("/api/tokens", token).expect(201);
        assertThat(person.post("/api/tokens", token)).isEqualTo(made);
        byte[] stored = database()
                .read(client -> client.sql("SELECT answer FROM answered_request ORDER BY at DESC, command DESC LIMIT 1")
                        .query((row, index) -> row.getBytes(1))
                        .single());
        assertThat(stored).hasSizeGreaterThan(100);
        assertThat(new String(stored, java.nio.charset.StandardCharsets.ISO_8859_1))
                .doesNotContain(made.string("secret"))
                .doesNotContain("slc_");
    }

    @Test
    void aKeyThatCouldBeGuessedIsRefused() {
        for (String key : List.of("short", "with space in it", "k".repeat(201))) {
            assertThat(keyed(center.machine(), key)
                            .post("/api/switch", SWITCH)
                            .expect(400)
                            .string("detail"))
                    .contains("expected: 16 to 200 visible characters");
        }
    }

    @Test
    void aRequestWhoseAnswerWasNotStoredIsNotCarriedOutAgain() {
        ApiClient api = keyed(center.machine(), "aaaaaaaaaaaaaaaa-8");
        api.post("/api/switch", SWITCH).expect(201);
        // As after a crash between the change and its answer; an erasure removes answers as well.
        database().write(client -> {
            AnsweredRequests.eraseAnswers(client);
            return true;
        });
        long commands = commands();
        Answer repeated = api.post("/api/switch", SWITCH).expect(409);
        assertThat(repeated.string("detail")).contains("was carried out as command " + commands);
        assertThat(repeated.get("commands").get(0).asLong()).isEqualTo(commands);
        assertThat(commands()).isEqualTo(commands);
    }

    @Test
    void answersGoAfterADay() {
        keyed(center.machine(), "aaaaaaaaaaaaaaaa-9")
                .post("/api/switch", SWITCH)
                .expect(201);
        long now = center.clock().epochMicros() / 1000;
        removeOld(now);
        assertThat(answers()).isPositive();
        removeOld(now + Duration.ofHours(25).toMillis());
        assertThat(answers()).isZero();
        insert(AnsweredRequests.MAX_KEPT + 7, now);
        removeOld(now);
        assertThat(answers()).isEqualTo(AnsweredRequests.MAX_KEPT);
        removeOld(now + Duration.ofHours(25).toMillis());
    }

    private static void insert(int rows, long now) {
        int unused = database().write(client -> {
            for (int i = 0; i < rows; i++) {
                client.sql("INSERT INTO answered_request (ref, request, at, command, answer) VALUES (?, '', ?, 1, ?)")
                        .params("r" + i, now + i, new byte[] {1})
                        .update();
            }
            return rows;
        });
    }

    private static void removeOld(long now) {
        database().write(client -> {
            AnsweredRequests.removeOld(client, now);
            return true;
        });
    }

    private static long answers() {
        return database().read(client -> client.sql("SELECT COUNT(*) FROM answered_request")
                .query(Long.class)
                .single());
    }

    private static Database database() {
        return center.center().people().database();
    }

    private static long commands() {
        return database().read(client -> client.sql("SELECT MAX(number) FROM command")
                .query(Long.class)
                .single());
    }

    private static ApiClient keyed(ApiClient api, String key) {
        return api.with("Idempotency-Key", key);
    }
}
