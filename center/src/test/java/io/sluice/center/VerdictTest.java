package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.ApiClient.Answer;
import io.sluice.core.time.ManualClock;
import io.sluice.rules.snapshot.NodeShare;
import io.sluice.runtime.fleet.Tally;
import io.sluice.testkit.QuietClock;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Verdicts on trials, from the reports of nodes. */
class VerdictTest {

    /** Shorter than an interval between two looks, and than the time after which a silent node is not live. */
    private static final Duration STEP = Duration.ofSeconds(3);

    /** The requests of a step. */
    private static final long COUNTED = 3_000;

    private static final int MOST_STEPS = 2_000;
    private static final String AUTOMATIC =
            ",\"verdict\":{\"compare\":[\"refusals\"],\"every\":\"10s\",\"automatic\":true}";
    private static final String DRY = ",\"verdict\":{\"compare\":[\"refusals\"],\"every\":\"10s\"}";

    @TempDir
    Path data;

    private final ManualClock clock = QuietClock.at(1_800_000_000_000_000L);
    private Center center;
    private ApiClient api;
    private FakeNode node;

    @BeforeEach
    void start() throws Exception {
        center = Center.open(PreparedCenter.in(data), clock);
        api = ApiClient.of(center);
        api.release("login", 5);
        node = new FakeNode(api, "n1");
        node.runs(1);
    }

    @AfterEach
    void stop() {
        center.close();
    }

    @Test
    void promotesThroughAllStepsByItself() {
        Answer trial = begin("{\"callers\":[\"50%\",\"75%\"]}", AUTOMATIC);
        long[] counts = new long[2];
        // Both sides refuse as much, and requests follow the share of callers.
        awaitState(trial, "releasing", ignored -> {
            counts[0] += rollout(trial).json().at("/trial/share").asInt() == 50 ? COUNTED : 3 * COUNTED;
            counts[1] += COUNTED;
            node.tries(2, tally(counts[0], 0.1), tally(counts[1], 0.1)).runs(1);
        });
        JsonNode rollout = rollout(trial).json();
        assertThat(rollout.at("/trial/step").asInt()).isEqualTo(1);
        assertThat(rollout.at("/trial/verdict/verdict").asString()).isEqualTo("promote");
        assertThat(rollout.at("/trial/verdict/comparisons/0/measure").asString())
                .isEqualTo("refusals");
        assertThat(api.get("/api/rules").number("version")).isEqualTo(2);
        JsonNode commands = api.get("/api/commands").json();
        assertThat(commands.at("/0/kind").asString()).isEqualTo("promote_trial");
        assertThat(commands.at("/0/actor").asString()).isEqualTo("center");
        assertThat(commands.at("/1/kind").asString()).isEqualTo("promote_trial");
    }

    @Test
    void rollsBackByItselfAndSkipsTheSteps() {
        Answer trial = begin("{\"callers\":[\"50%\",\"60%\",\"70%\"]}", AUTOMATIC);
        awaitState(trial, "rolled_back", counts -> node.tries(2, tally(counts, 0.5), tally(counts, 0.1))
                .runs(1));
        JsonNode rollout = rollout(trial).json();
        assertThat(rollout.at("/trial/step").asInt()).isZero();
        assertThat(rollout.at("/trial/verdict/verdict").asString()).isEqualTo("roll_back");
        assertThat(api.get("/api/versions/3").json().at("/version/content_of").asInt())
                .isEqualTo(1);
        assertThat(api.get("/api/versions/3").json().at("/version/reason").asString())
                .contains("refusals");
    }

    /** Other numbers keep their counts, so that nothing has to be waited for: a limit of 0 is not tried for an hour. */
    @Test
    void rollsBackLongBeforeALongWindowEnds() {
        api.release(openWindow("5", "1h").expect(201));
        node.runs(2);
        Answer trial = api.release(openWindow("0", "1h").expect(201), "{\"callers\":\"50%\"}", AUTOMATIC)
                .expect(202);
        assertThat(rollout(trial).json().at("/trial/settles_at").isNull()).isTrue();
        long began = clock.nanoTime();
        awaitState(trial, "rolled_back", counts -> node.tries(3, tally(counts, 0.9), tally(counts, 0.1))
                .runs(2));
        assertThat(Duration.ofNanos(clock.nanoTime() - began)).isLessThan(Duration.ofMinutes(20));
    }

    /** A fresh count has refused nothing yet, so a promotion waits for it and a rollback does not. */
    @Test
    void promotesOnlyAfterFreshCountsHaveSettled() {
        Answer trial = api.release(openWindow("5", "2m").expect(201), "{\"callers\":\"50%\"}", AUTOMATIC)
                .expect(202);
        LongConsumer alike =
                counts -> node.tries(2, tally(counts, 0.1), tally(counts, 0.1)).runs(1);
        awaitSettling(trial, alike);
        Instant stepAt =
                Instant.parse(rollout(trial).json().at("/trial/step_at").asString());
        Instant settlesAt =
                Instant.parse(rollout(trial).json().at("/trial/settles_at").asString());
        assertThat(settlesAt).isEqualTo(stepAt.plus(Duration.ofMinutes(2)));
        awaitVerdict(trial, "hold", alike);
        await(alike, () -> rollout(trial)
                .json()
                .at("/trial/verdict/why")
                .asString("")
                .contains("(expected: promote after " + settlesAt + ")"));
        awaitState(trial, "releasing", alike);
        assertThat(Instant.parse(rollout(trial).json().at("/trial/verdict/at").asString()))
                .isAfter(settlesAt);

        Answer worse = api.release(openWindow("5", "1h").expect(201), "{\"callers\":\"50%\"}", AUTOMATIC)
                .expect(202);
        awaitSettling(worse, counts -> node.tries(3, tally(counts, 0.1), tally(counts, 0.1))
                .runs(2));
        Instant before =
                Instant.parse(rollout(worse).json().at("/trial/settles_at").asString());
        awaitState(worse, "rolled_back", counts -> node.tries(3, tally(counts, 0.9), tally(counts, 0.1))
                .runs(2));
        assertThat(Instant.parse(rollout(worse).json().at("/trial/verdict/at").asString()))
                .isBefore(before);
    }

    /** A trial settles once its callers try the version. */
    private void awaitSettling(Answer trial, LongConsumer reports) {
        await(reports, () -> !rollout(trial)
                .json()
                .at("/trial/settles_at")
                .asString("")
                .isEmpty());
    }

    private Answer openWindow(String limit, String window) {
        long base = api.get("/api/rules").number("version");
        String put = "{\"put\":"
                + ApiClient.rule("login", 1)
                        .replace("\"limit\":1", "\"limit\":" + limit)
                        .replace("1m", window)
                + "}";
        return api.post("/api/changes", ApiClient.change(base, put));
    }

    @Test
    void aDryRunShowsTheVerdictAndDoesNothing() {
        Answer trial = begin("{\"callers\":[\"50%\",\"60%\"]}", DRY);
        LongConsumer worse =
                counts -> node.tries(2, tally(counts, 0.5), tally(counts, 0.1)).runs(1);
        awaitVerdict(trial, "roll_back", worse);
        // Also at later looks.
        await(worse, () -> rollout(trial).json().at("/trial/verdict/look").asInt() >= 3);
        assertThat(rollout(trial).string("state")).isEqualTo("trial");
        assertThat(rollout(trial).json().at("/trial/step").asInt()).isZero();
        assertThat(api.get("/api/rules").number("version")).isEqualTo(1);
        assertThat(api.get("/api/commands").text()).doesNotContain("\"center\"");

        // What was seen so far is enough when it is to act.
        api.post("/api/rollouts/" + trial.number("id") + "/verdict", "{\"automatic\":true}")
                .expect(200);
        awaitState(trial, "rolled_back", worse);
    }

    @Test
    void watchesBothSidesBeforeAnybodyTriesAnything() {
        Answer trial = begin(
                "{\"callers\":\"50%\"}",
                ",\"verdict\":{\"compare\":[\"refusals\"],\"every\":\"10s\",\"watch\":\"30s\",\"automatic\":true}");
        assertThat(rollout(trial).json().at("/trial/watching").asBoolean()).isTrue();
        long[] last = new long[1];
        await(
                counts -> {
                    last[0] = counts;
                    node.watches(2, 50, tally(counts, 0.1), tally(counts, 0.1)).runs(1);
                },
                () -> !rollout(trial).json().at("/trial/watching").asBoolean());
        assertThat(api.get("/api/rules").number("version")).isEqualTo(1);
        assertThat(api.get("/api/commands").json().at("/0/reason").asString()).contains("watched");

        // A node that still watches does not count for the trial.
        awaitVerdict(
                trial, "hold", counts -> node.watches(2, 50, tally(last[0] + counts, 0.1), tally(last[0] + counts, 0.1))
                        .runs(1));
        assertThat(rollout(trial).json().at("/trial/verdict/why").asString()).contains("0 requests");
        awaitState(
                trial, "releasing", counts -> node.tries(2, tally(last[0] + counts, 0.1), tally(last[0] + counts, 0.1))
                        .runs(1));
    }

    @Test
    void holdsWithoutData() {
        Answer trial = begin("{\"callers\":\"50%\"}", AUTOMATIC);
        awaitVerdict(trial, "hold", counts -> node.runs(1));
        Answer holding = rollout(trial);
        assertThat(holding.string("state")).isEqualTo("holding");
        assertThat(holding.json().at("/trial/verdict/why").asString()).contains("0 requests");
        assertThat(api.get("/api/rules").number("version")).isEqualTo(1);
        api.post("/api/rollouts/" + trial.number("id") + "/promote", "{\"reason\":\"we know better\"}")
                .expect(202);
    }

    @Test
    void holdsOnABiasedSample() {
        Answer trial = begin("{\"callers\":\"10%\"}", AUTOMATIC);
        // A tenth of the callers makes half of the requests.
        await(counts -> node.tries(2, tally(counts, 0.1), tally(counts, 0.1)).runs(1), () -> rollout(trial)
                .json()
                .at("/trial/verdict/why")
                .asString("")
                .startsWith("biased:"));
        assertThat(rollout(trial).json().at("/trial/verdict/verdict").asString())
                .isEqualTo("hold");
    }

    @Test
    void judgesNamedCallersNever() {
        Answer trial = begin("{\"named\":{\"ip\":[\"192.0.2.7\"]}}", DRY);
        awaitVerdict(trial, "hold", counts -> node.tries(2, tally(counts, 0.5), tally(counts, 0.1))
                .runs(1));
        assertThat(rollout(trial).json().at("/trial/verdict/why").asString()).startsWith("biased:");
    }

    @Test
    void comparesNodesByWhatDoesNotDependOnSharedCounts() {
        List<FakeNode> within = nodes(true);
        List<FakeNode> outside = nodes(false);
        within.forEach(each -> each.runs(1));
        outside.forEach(each -> each.runs(1));
        Answer trial = begin(
                "{\"nodes\":\"50%\"}", ",\"verdict\":{\"compare\":[\"errors\"],\"every\":\"10s\",\"automatic\":true}");
        awaitState(trial, "rolled_back", counts -> {
            within.forEach(each -> each.counted(new Tally(counts, 0, 0, counts, counts / 2, counts))
                    .runs(2));
            outside.forEach(each ->
                    each.counted(new Tally(counts, 0, 0, counts, 0, counts)).runs(1));
        });
        assertThat(rollout(trial).json().at("/trial/verdict/why").asString()).contains("errors");
    }

    @Test
    void countsAnewAfterARestartAndDecidesNothingOnAPartOfAnInterval() throws Exception {
        Answer trial = begin("{\"callers\":\"50%\"}", DRY.replace("10s", "3m"));
        LongConsumer worse =
                counts -> node.tries(2, tally(counts, 0.5), tally(counts, 0.1)).runs(1);
        long[] counts = new long[] {1_000};
        // Most of the three minutes.
        for (int i = 0; i < 150; i++) {
            clock.advance(Duration.ofSeconds(1));
            if (i % 20 == 0) {
                worse.accept(counts[0] += 1_000);
            }
        }
        center.close();
        center = Center.open(PreparedCenter.in(data), clock);
        api = ApiClient.of(center);
        node = new FakeNode(api, "n1").restarts();
        long restarted = clock.nanoTime();
        awaitVerdict(trial, "roll_back", worse);
        assertThat(Duration.ofNanos(clock.nanoTime() - restarted)).isGreaterThanOrEqualTo(Duration.ofMinutes(3));
    }

    private static List<FakeNode> ids(ApiClient api, boolean within) {
        return IntStream.range(0, 1_000)
                .mapToObj(i -> "node-" + i)
                .filter(id -> new NodeShare(id).isWithin(50) == within)
                .limit(6)
                .map(id -> new FakeNode(api, id))
                .toList();
    }

    private List<FakeNode> nodes(boolean within) {
        return ids(api, within);
    }

    private Answer begin(String to, String more) {
        return api.release(api.open(1, "login", 6).expect(201), to, more).expect(202);
    }

    private Answer rollout(Answer rollout) {
        return api.get("/api/rollouts/" + rollout.number("id")).expect(200);
    }

    /** Returns counts with a share of refusals. */
    private static Tally tally(long requests, double refused) {
        return new Tally(requests, (long) (requests * refused), 0, 0, 0, 0);
    }

    private void awaitState(Answer trial, String state, LongConsumer reports) {
        await(reports, () -> rollout(trial).string("state").equals(state));
    }

    private void awaitVerdict(Answer trial, String verdict, LongConsumer reports) {
        await(reports, () -> rollout(trial)
                .json()
                .at("/trial/verdict/verdict")
                .asString("")
                .equals(verdict));
    }

    /** Lets time pass and nodes report, each time with more counts, until something is true. The center takes its turns in step with it. */
    private void await(LongConsumer reports, BooleanSupplier condition) {
        long counts = 100_000;
        for (int i = 0; i < MOST_STEPS; i++) {
            clock.advance(STEP);
            reports.accept(counts += COUNTED);
            center.step();
            if (condition.getAsBoolean()) {
                return;
            }
        }
        throw new IllegalStateException("not within " + MOST_STEPS + " steps");
    }
}
