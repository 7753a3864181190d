package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.ApiClient.Answer;
import io.sluice.core.time.ManualClock;
import io.sluice.testkit.Await;
import io.sluice.testkit.QuietClock;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** A release at a time in the future is checked again when it fires. */
class ScheduleTest {

    private static final Duration SOON = Duration.ofMinutes(5);

    @TempDir
    Path data;

    private final ManualClock clock = QuietClock.at(1_800_000_000_000_000L);
    private Center center;
    private ApiClient api;

    @BeforeEach
    void start() throws Exception {
        center = Center.open(PreparedCenter.in(data), clock);
        api = ApiClient.of(center);
        api.release("login", 5);
    }

    @AfterEach
    void stop() {
        center.close();
    }

    @Test
    void firesWhenItsTimeComes() {
        Answer change = api.open(1, "login", 6).expect(201);
        Answer scheduled = schedule(change, "\"all\"", Duration.ofHours(2));
        assertThat(scheduled.string("state")).isEqualTo("scheduled");
        assertThat(scheduled.number("version")).isZero();
        assertThat(scheduled.string("at")).isEqualTo(in(Duration.ofHours(2)).toString());
        assertThat(scheduled.string("digest")).isEqualTo(change.string("digest"));
        assertThat(api.get("/api/changes/" + change.number("id")).string("state"))
                .isEqualTo("open");
        clock.advance(Duration.ofMinutes(119));
        assertThat(api.get("/api/rules").number("version")).isEqualTo(1);

        clock.advance(Duration.ofMinutes(1));
        awaitState(scheduled, "done");
        assertThat(api.get("/api/rules").number("version")).isEqualTo(2);
        JsonNode command = api.get("/api/commands").json().get(0);
        assertThat(command.get("kind").asString()).isEqualTo("fire_schedule");
        assertThat(command.get("actor").asString()).isEqualTo("token:admin");
    }

    @Test
    void beginsATrial() {
        Answer scheduled =
                schedule(api.open(1, "login", 6).expect(201), "{\"callers\":[\"1%\",\"50%\"]}", Duration.ofHours(2));
        clock.advance(Duration.ofHours(2));
        awaitState(scheduled, "trial");
        assertThat(rollout(scheduled).json().at("/trial/share").asInt()).isEqualTo(1);
        assertThat(rollout(scheduled).json().at("/trial/by").asString()).isEqualTo("ip");
    }

    @Test
    void isVoidIfTheChangeWasEdited() {
        Answer change = api.open(1, "login", 6).expect(201);
        Answer scheduled = schedule(change, "\"all\"", Duration.ofHours(2));
        api.put("/api/changes/" + change.number("id"), ApiClient.change(1, ApiClient.put("login", 600)))
                .expect(200);
        clock.advance(Duration.ofHours(2));
        awaitState(scheduled, "failed");
        assertThat(rollout(scheduled).string("problem")).contains("digest").contains("edited");
        assertThat(api.get("/api/rules").number("version")).isEqualTo(1);
        assertThat(api.get("/api/changes/" + change.number("id")).string("state"))
                .isEqualTo("open");
    }

    @Test
    void failsIfTheChangeCollidesOrATrialGoesOn() {
        Answer collides = schedule(api.open(1, "login", 6).expect(201), "\"all\"", Duration.ofHours(1));
        api.release("login", 7);
        clock.advance(Duration.ofHours(1));
        awaitState(collides, "failed");
        assertThat(rollout(collides).string("problem")).contains("somebody else changed login");

        Answer waits = schedule(api.open(2, "orders", 6).expect(201), "\"all\"", Duration.ofHours(1));
        api.release(api.open(2, "login", 8).expect(201), "{\"callers\":\"5%\"}", "")
                .expect(202);
        clock.advance(Duration.ofHours(1));
        awaitState(waits, "failed");
        assertThat(rollout(waits).string("problem")).contains("version 3 is on trial");
    }

    @Test
    void canBeCancelled() {
        Answer scheduled = schedule(api.open(1, "login", 6).expect(201), "\"all\"", Duration.ofHours(1));
        Answer cancelled = api.post("/api/rollouts/" + scheduled.number("id") + "/abort", "{\"reason\":\"a holiday\"}")
                .expect(202);
        assertThat(cancelled.string("state")).isEqualTo("cancelled");
        // The later one shows that the time of both has come.
        Answer later = schedule(api.open(1, "orders", 6).expect(201), "\"all\"", Duration.ofHours(1));
        clock.advance(Duration.ofHours(1));
        awaitState(later, "done");
        assertThat(rollout(scheduled).string("state")).isEqualTo("cancelled");
        assertThat(api.get("/api/rules").number("version")).isEqualTo(2);
    }

    @Test
    void survivesARestart() throws Exception {
        Answer scheduled = schedule(api.open(1, "login", 6).expect(201), "\"all\"", Duration.ofHours(1));
        center.close();
        clock.advance(Duration.ofHours(3));
        center = Center.open(PreparedCenter.in(data), clock);
        api = ApiClient.of(center);
        awaitState(scheduled, "done");
        assertThat(api.get("/api/versions").json()).hasSize(2);
    }

    @Test
    void isCheckedAtOnceToo() {
        Answer change = api.open(1, "login", 6).expect(201);
        String digest = "{\"digest\":\"" + "0".repeat(64) + "\",\"at\":\"" + in(Duration.ofHours(1)) + "\"}";
        api.post("/api/changes/" + change.number("id") + "/release", digest).expect(409);
        for (String at : new String[] {
            in(Duration.ZERO).toString(), in(Duration.ofDays(91)).toString(), "tomorrow", "2027-01-01"
        }) {
            api.release(change, "\"all\"", ",\"at\":\"" + at + "\"").expect(400);
        }
        api.release(change, "{\"callers\":\"5%\",\"by\":\"user\"}", ",\"at\":\"" + in(Duration.ofHours(1)) + "\"")
                .expect(422);
    }

    private Instant in(Duration span) {
        return Instant.ofEpochMilli(clock.epochMicros() / 1000).plus(span);
    }

    private Answer schedule(Answer change, String to, Duration in) {
        return api.release(change, to, ",\"at\":\"" + in(in) + "\"").expect(202);
    }

    private Answer rollout(Answer rollout) {
        return api.get("/api/rollouts/" + rollout.number("id")).expect(200);
    }

    private void awaitState(Answer rollout, String state) {
        Await.until("state " + state, SOON, () -> {
            // Leadership needs time to pass.
            clock.advance(Duration.ofMillis(200));
            center.step();
            return rollout(rollout).string("state").equals(state);
        });
    }
}
