package io.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.EngineDecision;
import io.sluice.redis.internal.wire.Batch;
import io.sluice.redis.internal.wire.DecideLibrary;
import io.sluice.redis.internal.wire.Operation;
import io.sluice.redis.internal.wire.RedisKeys;
import io.sluice.redis.internal.wire.Reply;
import io.sluice.testkit.redis.RedisServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * A batch does exactly what its operations would do one after the other: the same answers, and the same counts afterwards. Common
 * charges are decided in a shorter way than others, and here both ways meet on the same counts.
 */
final class BatchesTest {

    private static final List<Limit> LIMITS = List.of(
            Limit.named("bucket").tokenBucket(Rate.perSecond(3)).withBurst(10),
            Limit.named("faster").tokenBucket(Rate.perSecond(7)).withBurst(20),
            Limit.named("leaky").leakyBucket(Rate.perSecond(2)).withCapacity(9).withMaxWait(Duration.ofSeconds(5)),
            Limit.named("window").fixedWindow(10, Duration.ofSeconds(3)),
            Limit.named("sliding").slidingWindow(10, Duration.ofSeconds(3)),
            Limit.named("log").slidingLog(10, Duration.ofSeconds(3)));

    /** The same count as "bucket", at another rate. */
    private static final Limit OTHER_RATE =
            Limit.named("bucket").tokenBucket(Rate.perSecond(5)).withBurst(12);

    private static RedisServer server;
    private static RedisClient client;
    private static StatefulRedisConnection<byte[], byte[]> redis;

    @BeforeAll
    static void start() {
        server = RedisServer.start();
        server.command("FUNCTION", "LOAD", DecideLibrary.TEXT);
        client = RedisClient.create();
        redis = client.connect(ByteArrayCodec.INSTANCE, RedisURI.create(server.uri()));
    }

    @AfterAll
    static void stop() {
        client.shutdown(0, 1, TimeUnit.SECONDS);
        server.close();
    }

    @Test
    void doWhatTheirOperationsDoAlone() throws Exception {
        for (int seed = 0; seed < 25; seed++) {
            Random random = new Random(seed);
            RedisKeys together = new RedisKeys("together" + seed);
            RedisKeys alone = new RedisKeys("alone" + seed);
            List<Charge> charges = new ArrayList<>();
            long micros = 1_700_000_000_000_000L;
            for (int step = 0; step < 25; step++) {
                micros += random.nextInt(5) == 0 ? -random.nextInt(3_000_000) : random.nextInt(2_000_000);
                String time = Long.toString(micros);
                Batch batch = new Batch(time, false);
                List<Operation> apart = new ArrayList<>();
                for (int i = random.nextInt(12); i >= 0; i--) {
                    if (random.nextInt(4) == 0 && !charges.isEmpty()) {
                        List<Charge> some = List.of(charges.remove(random.nextInt(charges.size())));
                        long now = micros;
                        batch.add(Operation.ChargeUpdate.givenBack(some, together, () -> now));
                        apart.add(Operation.ChargeUpdate.givenBack(some, alone, () -> now));
                    } else {
                        Ask ask = ask(random);
                        long now = micros;
                        batch.add(new Operation.AskOperation(ask, together.of(ask.demands()), () -> now));
                        apart.add(new Operation.AskOperation(ask, alone.of(ask.demands()), () -> now));
                    }
                }
                run(batch);
                for (Operation operation : apart) {
                    Batch one = new Batch(time, false);
                    one.add(operation);
                    run(one);
                }
                for (int i = 0; i < apart.size(); i++) {
                    assertThat(told(batch.questions().get(i)))
                            .as("seed %d, step %d, operation %d", seed, step, i)
                            .isEqualTo(told(apart.get(i)));
                    charges.addAll(chargesOf(apart.get(i)));
                }
                assertThat(stored("together" + seed))
                        .as("counts after step %d of seed %d", step, seed)
                        .isEqualTo(stored("alone" + seed));
            }
        }
    }

    private static Ask ask(Random random) {
        List<Demand> demands = new ArrayList<>();
        List<Limit> limits = new ArrayList<>(LIMITS);
        Collections.shuffle(limits, random);
        for (Limit one : limits.subList(0, 1 + random.nextInt(4))) {
            Limit limit = one.name().equals(OTHER_RATE.name()) && random.nextInt(4) == 0 ? OTHER_RATE : one;
            long permits = 1L + random.nextInt(3);
            demands.add(new Demand(
                    limit,
                    "k" + random.nextInt(2),
                    permits,
                    random.nextInt(5) == 0 ? 1 : permits,
                    random.nextInt(3) == 0 ? 4_000_000 : 0,
                    "",
                    Demand.of(limit, "", 1).label(),
                    Demand.UNGUARDED,
                    Demand.of(limit, "", 1).lease()));
        }
        return random.nextInt(6) == 0 ? Ask.charging(demands).looking() : Ask.charging(demands);
    }

    private static void run(Batch batch) throws Exception {
        byte[] bytes = (batch.isOneCharge()
                        ? DecideLibrary.call(redis, DecideLibrary.ONE, batch.keys(), batch.argsOfOne())
                        : DecideLibrary.call(redis, DecideLibrary.FUNCTION, batch.keys(), batch.args()))
                .toCompletableFuture()
                .get(60, TimeUnit.SECONDS);
        Reply reply = new Reply(bytes, null);
        for (Operation operation : batch.questions()) {
            operation.answer(reply);
        }
    }

    private static Object told(Operation operation) {
        return operation instanceof Operation.AskOperation asked
                ? asked.outcome.join()
                : ((Operation.ChargeUpdate) operation).done.join();
    }

    private static List<Charge> chargesOf(Operation operation) {
        return operation instanceof Operation.AskOperation asked
                        && asked.outcome.join() instanceof EngineDecision decided
                        && decided.allowed()
                        && asked.ask().charges()
                ? decided.charges(asked.ask())
                : List.of();
    }

    /**
     * Returns every count of a prefix: its name without the prefix, and what is stored. All of them expire. A log keeps what one
     * call admits at one moment in one entry or in several, so only its answers are compared.
     */
    private static List<String> stored(String prefix) {
        List<String> all = new ArrayList<>();
        for (String name : server.command("KEYS", prefix + ":*").texts()) {
            assertThat(server.command("PTTL", name).number()).isPositive();
            if (!name.contains(":sl")) {
                byte[] value = redis.sync().get(name.getBytes(StandardCharsets.UTF_8));
                all.add(name.substring(prefix.length()) + " " + HexFormat.of().formatHex(value));
            }
        }
        Collections.sort(all);
        return all;
    }
}
