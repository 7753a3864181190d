package io.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.history.HistoryEvent;
import io.sluice.core.history.StepEvent;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.PendingOutcome;
import io.sluice.core.time.Clock;
import io.sluice.history.CheckReport;
import io.sluice.history.History;
import io.sluice.history.HistoryChecker;
import io.sluice.redis.internal.link.RedisOptions;
import io.sluice.redis.internal.wire.RedisKeys;
import io.sluice.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Counts whose steps are numbered, used together with processes that do not record. */
final class RecordedCountsTest {

    private static final Limit BUCKET =
            Limit.named("bucket").tokenBucket(Rate.perDay(1)).withBurst(10);
    private static final List<Limit> NUMBERED_APART = List.of(
            Limit.named("log").slidingLog(10, Duration.ofDays(1)),
            Limit.named("held").concurrency(10, Duration.ofHours(1)));

    private static final List<Limit> LIMITS = List.of(
            BUCKET,
            Limit.named("leaky").leakyBucket(Rate.perDay(1)).withCapacity(9).withMaxWait(Duration.ofDays(100)),
            Limit.named("window").fixedWindow(10, Duration.ofDays(1_000)),
            Limit.named("sliding").slidingWindow(10, Duration.ofDays(1)),
            NUMBERED_APART.get(0),
            NUMBERED_APART.get(1));

    private final Queue<HistoryEvent> heard = new ConcurrentLinkedQueue<>();
    private RedisServer server;
    private RedisEngine recording;
    private RedisEngine silent;

    @BeforeEach
    void start() throws Exception {
        server = RedisServer.shared();
        recording = connect(RedisOptions.defaults().recording(heard::add));
        silent = connect(RedisOptions.defaults());
    }

    @AfterEach
    void stop() {
        recording.close();
        silent.close();
    }

    @Test
    void enforceTheSameLimitWithAndWithoutRecording() throws Exception {
        for (Limit limit : LIMITS) {
            int allowed = 0;
            for (int i = 0; i < 60; i++) {
                allowed += decide(i / 3 % 2 == 0 ? recording : silent, limit, 1).allowed() ? 1 : 0;
            }
            assertThat(allowed).as(limit.toString()).isEqualTo(10);
            if (!NUMBERED_APART.contains(limit)) {
                assertClean();
            }
        }
    }

    @Test
    void giveBackWhatTheOtherCharged() throws Exception {
        for (Limit limit : LIMITS.subList(0, 4)) {
            for (List<RedisEngine> pair : List.of(List.of(recording, silent), List.of(silent, recording))) {
                Ask ask = Ask.charging(List.of(Demand.of(limit, "k", limit.capacity())));
                EngineDecision all = decide(pair.get(0), ask);
                assertThat(all.allowed()).as(limit.toString()).isTrue();
                pair.get(1).giveBack(all.charges(ask)).toCompletableFuture().get(60, TimeUnit.SECONDS);
                assertThat(decide(pair.get(0), ask.looking()).allowed())
                        .as(limit.toString())
                        .isTrue();
            }
        }
        assertClean();
    }

    @Test
    void haveTheirNumberInTheirOwnState() throws Exception {
        for (Limit limit : LIMITS) {
            decide(recording, limit, 1);
        }
        assertThat(server.command("KEYS", "p:*").list()).hasSize(6);
        assertThat(server.command("KEYS", "{p:*}#n").list())
                .as("logs, and permits that are held")
                .hasSize(2);
        for (String key : server.command("KEYS", "*").texts()) {
            assertThat(server.command("PTTL", key).number()).as(key).isPositive();
        }
    }

    /** A caller who varies a key must not fill Redis because somebody records. */
    @Test
    void a45StayForSecondsOnlyWhateverTheirAlgorithm() throws Exception {
        List<Limit> ofASecond = List.of(
                Limit.named("bucket").tokenBucket(Rate.perSecond(5)).withBurst(5),
                Limit.named("leaky").leakyBucket(Rate.perSecond(5)).withCapacity(4),
                Limit.named("window").fixedWindow(5, Duration.ofSeconds(1)),
                Limit.named("sliding").slidingWindow(5, Duration.ofSeconds(1)),
                Limit.named("log").slidingLog(5, Duration.ofSeconds(1)),
                Limit.named("held").concurrency(5, Duration.ofSeconds(1)));
        for (Limit limit : ofASecond) {
            Ask ask = Ask.charging(List.of(Demand.of(limit, "k", 2)));
            EngineDecision charged = decide(recording, ask);
            assertShortLived(limit);
            decide(recording, limit, 5);
            recording.giveBack(charged.charges(ask)).toCompletableFuture().get(60, TimeUnit.SECONDS);
            assertShortLived(limit);
        }
        assertClean();
    }

    /** A45. So a flood of keys takes as much memory as without recording, times a factor, for some seconds longer. */
    @Test
    void a45AKeyTakesAtMostTwiceTheMemory() throws Exception {
        int keys = 200;
        for (Limit limit : LIMITS) {
            long[] bytes = new long[2];
            for (RedisEngine engine : List.of(silent, recording)) {
                server.command("FLUSHALL");
                for (int i = 0; i < keys; i++) {
                    decide(engine, Ask.charging(List.of(Demand.of(limit, "caller-" + i, 1))));
                }
                for (String key : server.command("KEYS", "*").texts()) {
                    bytes[engine == silent ? 0 : 1] +=
                            server.command("MEMORY", "USAGE", key).number();
                }
            }
            System.out.printf(
                    "%s: %d bytes for each key, recorded %d%n", limit.name(), bytes[0] / keys, bytes[1] / keys);
            assertThat(bytes[0]).isPositive();
            assertThat(bytes[1]).as(limit.toString()).isLessThanOrEqualTo(2 * bytes[0]);
        }
    }

    private void assertShortLived(Limit limit) {
        String key = new RedisKeys("p").of(limit, "k");
        for (String each : List.of(key, "{" + key + "}#n")) {
            assertThat(server.command("PTTL", each).number())
                    .as("milliseconds that %s stays", each)
                    .isLessThan(15_000);
        }
    }

    /** Otherwise the checker would take what is left of the count for a mistake. */
    @Test
    void areNeverWithoutTheirNumber() throws Exception {
        List<Limit> ofDays = List.of(
                Limit.named("log").slidingLog(5, Duration.ofDays(30)),
                Limit.named("held").concurrency(5, Duration.ofDays(30)));
        for (Limit limit : ofDays) {
            decide(recording, limit, 2);
            String key = new RedisKeys("p").of(limit, "k");
            assertThat(server.command("PTTL", "{" + key + "}#n").number())
                    .as(limit.toString())
                    .isGreaterThan(server.command("PTTL", key).number());
        }
    }

    @Test
    void areNotWrittenByARefusal() throws Exception {
        String key = new RedisKeys("p").of(BUCKET, "k");
        decide(recording, BUCKET, 11);
        assertThat(server.command("EXISTS", key).number()).isZero();
        decide(recording, BUCKET, 10);
        String before = server.command("DUMP", key).toString();
        decide(recording, BUCKET, 1);
        decide(recording, Ask.charging(List.of(Demand.of(BUCKET, "k", 1))).looking());
        assertThat(server.command("DUMP", key).toString()).isEqualTo(before);
        assertThat(steps()).extracting(StepEvent::number).containsExactly(0L, 1L, 1L, 1L);
        assertThat(steps()).extracting(StepEvent::changed).containsExactly(false, true, false, false);
        assertClean();
    }

    @Test
    void goOnWithTheirNumbersWhenTheirStateIsOver() throws Exception {
        Limit quick =
                Limit.named("quick").tokenBucket(Rate.perSecond(1_000_000)).withBurst(5);
        Limit window = Limit.named("short").fixedWindow(5, Duration.ofMillis(1));
        for (Limit limit : List.of(quick, window)) {
            heard.clear();
            decide(recording, limit, 5);
            // However slow this machine is, the number is still there.
            server.command("PEXPIRE", new RedisKeys("p").of(limit, "k"), "600000");
            long expires = steps().get(0).atMicros() + 1_100_000;
            Awaitility.await()
                    .atMost(Duration.ofMinutes(1))
                    .until(() -> Clock.system().epochMicros() > expires);
            assertThat(decide(recording, limit, 5).allowed()).isTrue();
            assertThat(steps()).extracting(StepEvent::number).containsExactly(1L, 2L);
            assertThat(steps().get(1).since()).isEqualTo(steps().get(0).since());
        }
    }

    @Test
    void startANumberingWithAnUnknownPastWhereOthersHaveCharged() throws Exception {
        decide(silent, BUCKET, 3);
        decide(recording, BUCKET, 8);
        decide(recording, BUCKET, 1);
        decide(recording, BUCKET, 1);
        assertThat(steps()).extracting(StepEvent::number).containsExactly(1L, 2L, 3L);
        assertThat(steps().get(0).since()).isZero();
        assertClean();
    }

    private List<StepEvent> steps() {
        return heard.stream()
                .filter(StepEvent.class::isInstance)
                .map(StepEvent.class::cast)
                .toList();
    }

    private void assertClean() {
        CheckReport report =
                HistoryChecker.check(new History(List.of(new History.Node("n", false, List.copyOf(heard)))));
        assertThat(report.isClean()).as("%s", report).isTrue();
    }

    private RedisEngine connect(RedisOptions options) throws Exception {
        RedisEngine engine =
                RedisEngine.connect(server.uri(), "p", Clock.system(), options.slow(Duration.ofMinutes(1)));
        engine.ready().toCompletableFuture().get(60, TimeUnit.SECONDS);
        return engine;
    }

    private static EngineDecision decide(RedisEngine engine, Limit limit, long permits) throws Exception {
        return decide(engine, Ask.charging(List.of(Demand.of(limit, "k", permits))));
    }

    private static EngineDecision decide(RedisEngine engine, Ask ask) throws Exception {
        PendingOutcome pending = (PendingOutcome) engine.decide(ask);
        return (EngineDecision) pending.outcome().toCompletableFuture().get(60, TimeUnit.SECONDS);
    }
}
