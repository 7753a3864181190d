package io.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.Outcome;
import io.sluice.core.spi.PendingOutcome;
import io.sluice.core.time.Clock;
import io.sluice.redis.internal.link.RedisOptions;
import io.sluice.redis.internal.wire.RedisKeys;
import io.sluice.testkit.SeededRandom;
import io.sluice.testkit.redis.RedisServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Another program has written into the key of a count: that count is unused, and all others are decided as ever. */
final class DamagedCountsTest {

    private static final int PERMITS = SeededRandom.scaled(25, 200);

    /** Several times as many as are read at once. */
    private static final int IN_A_LONG_LOG = 200;

    private static final String PREFIX = "damaged";
    private static final RedisKeys NAMES = new RedisKeys(PREFIX);
    private static final Limit OTHER =
            Limit.named("other").tokenBucket(Rate.perDay(1)).withBurst(100_000);
    private static final List<Limit> LIMITS = List.of(
            Limit.named("tb").tokenBucket(Rate.perDay(1)).withBurst(PERMITS),
            Limit.named("lb").leakyBucket(Rate.perDay(1)).withCapacity(PERMITS),
            Limit.named("fw").fixedWindow(PERMITS, Duration.ofDays(1_000)),
            Limit.named("sw").slidingWindow(PERMITS, Duration.ofDays(1)),
            Limit.named("we").slidingWindow(PERMITS, Duration.ofDays(1)).asEstimate(),
            Limit.named("sl").slidingLog(PERMITS, Duration.ofDays(1)),
            Limit.named("cc").concurrency(PERMITS, Duration.ofDays(1)));

    private static RedisServer server;
    private static RedisClient client;
    private static RedisCommands<byte[], byte[]> redis;
    private static RedisEngine engine;

    @BeforeAll
    static void start() throws Exception {
        server = RedisServer.shared();
        client = RedisClient.create();
        redis = client.connect(ByteArrayCodec.INSTANCE, RedisURI.create(server.uri()))
                .sync();
        RedisOptions patient = RedisOptions.defaults().slow(Duration.ofMinutes(1));
        engine = RedisEngine.connect(server.uri(), PREFIX, Clock.system(), patient);
        engine.ready().toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    @AfterAll
    static void stop() {
        engine.close();
        client.shutdown(0, 1, TimeUnit.SECONDS);
    }

    @Test
    void aCountThatCannotBeReadIsUnusedAndWrittenAnew() throws Exception {
        SeededRandom random = SeededRandom.of("aCountThatCannotBeReadIsUnusedAndWrittenAnew");
        for (Limit limit : LIMITS) {
            long permits = passed(limit, 2 * PERMITS);
            redis.del(key(limit));
            for (byte[] damage : damages(random)) {
                redis.set(key(limit), damage);
                assertThat(passed(limit, 2 * PERMITS))
                        .as("%s, %s", limit, text(damage))
                        .isLessThanOrEqualTo(permits);
                redis.del(key(limit));
            }
            redis.lpush(key(limit), bytes("foreign"), bytes("entries"));
            assertThat(passed(limit, 2 * PERMITS)).as("%s, a list", limit).isEqualTo(permits);
            redis.del(key(limit));
            redis.zadd(key(limit), 5, bytes("foreign"));
            assertThat(passed(limit, 2 * PERMITS)).as("%s, a sorted set", limit).isLessThanOrEqualTo(permits);
            redis.del(key(limit));
        }
    }

    /** MessagePack that can be read and holds no counts: strings, fractions, negative numbers, tables. */
    @Test
    void aSlidingWindowWithoutNumbersIsUnused() throws Exception {
        List<byte[]> damages = List.of(
                new byte[] {(byte) 0x92, 5, (byte) 0xA1, 'x'},
                new byte[] {(byte) 0x92, 5, (byte) 0xFF},
                new byte[] {(byte) 0x92, (byte) 0xA1, 'x', 5},
                new byte[] {(byte) 0x92, 5, (byte) 0xC0},
                new byte[] {(byte) 0x92, 5, (byte) 0x91, 1},
                new byte[] {(byte) 0x92, 5, (byte) 0xCB, 0x3F, (byte) 0xE0, 0, 0, 0, 0, 0, 0},
                new byte[] {(byte) 0x92, 5, (byte) 0xCB, 0x7F, (byte) 0xF0, 0, 0, 0, 0, 0, 0},
                new byte[] {(byte) 0x81, (byte) 0xA1, 'x', 5});
        for (Limit limit : LIMITS.subList(3, 5)) {
            for (byte[] damage : damages) {
                redis.set(key(limit), damage);
                assertThat(passed(limit, 2 * PERMITS))
                        .as("%s, %s", limit, text(damage))
                        .isEqualTo(PERMITS);
                redis.del(key(limit));
            }
        }
    }

    /** Wherever the element is: at the front, behind what is read at once, or at the end, where charges are given back. */
    @Test
    void aLogWithAnElementThatIsNoEntryIsUnusedOnceThatIsSeen() throws Exception {
        Limit log = Limit.named("long").slidingLog(IN_A_LONG_LOG, Duration.ofDays(1));
        for (int place : new int[] {0, 1, 2, 64, 65, 130, IN_A_LONG_LOG}) {
            List<Charge> charges = new ArrayList<>();
            for (int i = 0; i < IN_A_LONG_LOG; i++) {
                Ask one = Ask.charging(List.of(Demand.of(log, "k", 1)));
                charges.addAll(decided(one).charges(one));
            }
            long length = redis.llen(key(log));
            redis.lset(key(log), Math.min(place, length - 1), bytes("damaged"));
            // Asks for as much as makes the log look at all of its entries.
            boolean all = decided(Ask.charging(List.of(Demand.of(log, "k", IN_A_LONG_LOG))))
                    .allowed();
            assertThat(passed(log, 2 * IN_A_LONG_LOG))
                    .as("damaged at %d", place)
                    .isEqualTo(all ? 0 : IN_A_LONG_LOG);

            redis.lset(key(log), -1, bytes("damaged"));
            engine.giveBack(charges.subList(IN_A_LONG_LOG - 1, IN_A_LONG_LOG))
                    .toCompletableFuture()
                    .get(60, TimeUnit.SECONDS);
            assertThat(passed(log, 2 * IN_A_LONG_LOG)).as("given back").isEqualTo(IN_A_LONG_LOG);
            redis.del(key(log));
        }
    }

    private static List<byte[]> damages(SeededRandom random) {
        List<byte[]> damages = new ArrayList<>(List.of(bytes(""), bytes("foreign"), bytes("17"), bytes("{\"a\":1}")));
        for (int i = SeededRandom.scaled(8, 100); i > 0; i--) {
            byte[] any = new byte[random.nextInt(80)];
            random.nextBytes(any);
            damages.add(any);
        }
        return damages;
    }

    /** Asks one by one beside another count, which must never suffer. */
    private static long passed(Limit limit, int asks) throws Exception {
        List<CompletionOf> all = new ArrayList<>();
        for (int i = 0; i < asks; i++) {
            all.add(new CompletionOf(Ask.charging(List.of(Demand.of(limit, "k", 1)))));
            assertThat(decided(Ask.charging(List.of(Demand.of(OTHER, "o" + i, 1))))
                            .allowed())
                    .isTrue();
        }
        long passed = 0;
        for (CompletionOf each : all) {
            passed += each.decision().allowed() ? 1 : 0;
        }
        return passed;
    }

    /** An ask under way. */
    private static final class CompletionOf {

        private final PendingOutcome pending;

        CompletionOf(Ask ask) {
            this.pending = (PendingOutcome) engine.decide(ask);
        }

        EngineDecision decision() throws Exception {
            Outcome outcome = pending.outcome().toCompletableFuture().get(60, TimeUnit.SECONDS);
            assertThat(outcome).isInstanceOf(EngineDecision.class);
            return (EngineDecision) outcome;
        }
    }

    private static EngineDecision decided(Ask ask) throws Exception {
        return new CompletionOf(ask).decision();
    }

    private static byte[] key(Limit limit) {
        return bytes(NAMES.of(limit, "k"));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }
}
