package io.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.KeyValue;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.sluice.core.history.HistoryEvent;
import io.sluice.core.history.HistoryListener;
import io.sluice.core.history.StepEvent;
import io.sluice.core.limit.LeakyBucket;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.Settlement;
import io.sluice.redis.internal.wire.Batch;
import io.sluice.redis.internal.wire.DecideLibrary;
import io.sluice.redis.internal.wire.Operation;
import io.sluice.redis.internal.wire.RedisKeys;
import io.sluice.redis.internal.wire.Reply;
import io.sluice.testkit.redis.RedisServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

    /** The number of the last step of an unused count, and the last part of it. */
    private static final int NUMBER_BYTES = 22;

    private static final int END_BYTES = 7;

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

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void doWhatTheirOperationsDoAlone(boolean recording) throws Exception {
        for (int seed = 0; seed < 25; seed++) {
            Random random = new Random(seed);
            String run = recording + "-" + seed;
            RedisKeys together = new RedisKeys("together" + run);
            RedisKeys alone = new RedisKeys("alone" + run);
            List<Charge> charges = new ArrayList<>();
            List<Settlement> settlements = new ArrayList<>();
            long micros = 1_700_000_000_000_000L;
            // After a step back, each refusal of a batch may be numbered, although only the first one changes the
            // count.
            int longestStepBack = recording ? 1 : 3_000_000;
            for (int step = 0; step < 25; step++) {
                micros += random.nextInt(5) == 0 ? -random.nextInt(longestStepBack) : random.nextInt(2_000_000);
                String time = Long.toString(micros);
                Batch batch = new Batch(time, recording);
                List<Operation> apart = new ArrayList<>();
                for (int i = random.nextInt(12); i >= 0; i--) {
                    long now = micros;
                    if (random.nextInt(3) == 0 && !charges.isEmpty()) {
                        List<Settlement> some = settlements(random, charges, settlements);
                        batch.add(Operation.SettlementUpdate.of(some, together, () -> now));
                        apart.add(Operation.SettlementUpdate.of(some, alone, () -> now));
                    } else if (random.nextInt(4) == 0 && !charges.isEmpty()) {
                        List<Charge> some = List.of(charges.remove(random.nextInt(charges.size())));
                        batch.add(Operation.ChargeUpdate.givenBack(some, together, () -> now));
                        apart.add(Operation.ChargeUpdate.givenBack(some, alone, () -> now));
                    } else {
                        Ask ask = ask(random);
                        batch.add(new Operation.AskOperation(ask, together.of(ask.demands()), () -> now));
                        apart.add(new Operation.AskOperation(ask, alone.of(ask.demands()), () -> now));
                    }
                }
                List<HistoryEvent> steps = new ArrayList<>();
                run(batch, recording ? steps::add : null);
                List<HistoryEvent> stepsAlone = new ArrayList<>();
                for (Operation operation : apart) {
                    Batch one = new Batch(time, recording);
                    one.add(operation);
                    run(one, recording ? stepsAlone::add : null);
                }
                assertThat(numbers(steps))
                        .as("steps of step %d of seed %d", step, seed)
                        .isEqualTo(numbers(stepsAlone));
                for (int i = 0; i < apart.size(); i++) {
                    assertThat(told(batch.questions().get(i)))
                            .as("seed %d, step %d, operation %d", seed, step, i)
                            .isEqualTo(told(apart.get(i)));
                    charges.addAll(chargesOf(apart.get(i)));
                }
                assertThat(stored("together" + run))
                        .as("counts after step %d of seed %d", step, seed)
                        .isEqualTo(stored("alone" + run));
            }
        }
    }

    /** Returns settlements of some of the charges, and now and then one that was made before. */
    private static List<Settlement> settlements(Random random, List<Charge> charges, List<Settlement> made) {
        List<Settlement> some = new ArrayList<>();
        for (int i = random.nextInt(3); i >= 0 && !charges.isEmpty(); i--) {
            Charge charge = charges.remove(random.nextInt(charges.size()));
            if (!(charge.limit() instanceof LeakyBucket)) {
                some.add(Settlement.of(charge, random.nextInt(6), "id" + made.size(), 5_000_000));
                made.add(some.get(some.size() - 1));
            }
        }
        if (!made.isEmpty() && random.nextInt(3) == 0) {
            some.add(made.get(random.nextInt(made.size())));
        }
        return some;
    }

    /** Returns since when each step is numbered, its number, and whether it changed the count. */
    private static List<String> numbers(List<HistoryEvent> events) {
        return events.stream()
                .map(event -> (StepEvent) event)
                .map(step -> step.since() + " " + step.number() + " " + step.changed())
                .toList();
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
                    Demand.of(limit, "", 1).lease(),
                    random.nextInt(4) == 0 ? 1 + random.nextInt(6) : 0));
        }
        return random.nextInt(6) == 0 ? Ask.charging(demands).looking() : Ask.charging(demands);
    }

    private static void run(Batch batch, @Nullable HistoryListener listener) throws Exception {
        byte[] bytes = (batch.isOneCharge()
                        ? DecideLibrary.call(redis, DecideLibrary.ONE, batch.keys(), batch.argsOfOne())
                        : DecideLibrary.call(redis, DecideLibrary.FUNCTION, batch.keys(), batch.args()))
                .toCompletableFuture()
                .get(60, TimeUnit.SECONDS);
        Reply reply = new Reply(bytes, listener);
        for (Operation operation : batch.questions()) {
            operation.answer(reply);
        }
    }

    private static Object told(Operation operation) {
        return operation instanceof Operation.AskOperation asked
                ? asked.outcome.join()
                : operation instanceof Operation.SettlementUpdate settled
                        ? settled.results.join()
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
     * Returns every count and every record of a settlement of a prefix: its name without the prefix, and what is stored. All of them
     * expire. A log keeps what one call admits at one moment in one entry or in several, so only its answers are compared.
     */
    private static List<String> stored(String prefix) throws Exception {
        List<String> all = new ArrayList<>();
        List<byte[]> names = redis.sync().keys((prefix + ":*").getBytes(StandardCharsets.UTF_8));
        if (names.isEmpty()) {
            return all;
        }
        List<RedisFuture<Long>> ends =
                names.stream().map(name -> redis.async().pttl(name)).toList();
        for (RedisFuture<Long> end : ends) {
            assertThat(end.toCompletableFuture().get(60, TimeUnit.SECONDS)).isPositive();
        }
        for (KeyValue<byte[], byte[]> each : redis.sync().mget(names.toArray(byte[][]::new))) {
            String name = new String(each.getKey(), StandardCharsets.UTF_8);
            if (!name.contains(":sl")) {
                all.add(name.replace(prefix, "") + " " + HexFormat.of().formatHex(withoutEnd(each.getValue())));
            }
        }
        Collections.sort(all);
        return all;
    }

    /** Returns what is stored. If only the number of the last step is left, it does not matter when the state expired. */
    private static byte[] withoutEnd(byte[] value) {
        return value.length == NUMBER_BYTES ? Arrays.copyOf(value, NUMBER_BYTES - END_BYTES) : value;
    }
}
