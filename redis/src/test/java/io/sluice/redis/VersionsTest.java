package io.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.PendingOutcome;
import io.sluice.core.time.Clock;
import io.sluice.redis.internal.link.RedisOptions;
import io.sluice.redis.internal.wire.Batch;
import io.sluice.redis.internal.wire.DecideLibrary;
import io.sluice.redis.internal.wire.Operation;
import io.sluice.redis.internal.wire.RedisKeys;
import io.sluice.redis.internal.wire.Reply;
import io.sluice.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Processes of two versions on one Redis: each calls its own function, on the same counts. */
final class VersionsTest {

    private static final List<Limit> LIMITS = List.of(
            Limit.named("bucket").tokenBucket(Rate.perDay(1)).withBurst(10),
            Limit.named("leaky").leakyBucket(Rate.perDay(1)).withCapacity(9).withMaxWait(Duration.ofDays(100)),
            Limit.named("window").fixedWindow(10, Duration.ofDays(1_000)),
            Limit.named("sliding").slidingWindow(10, Duration.ofDays(1)),
            Limit.named("log").slidingLog(10, Duration.ofDays(1)),
            Limit.named("held").concurrency(10, Duration.ofHours(1)));

    @Test
    void decideTogether() throws Exception {
        String mine = DecideLibrary.FUNCTION.substring(DecideLibrary.FUNCTION.lastIndexOf('_') + 1);
        String theirs = "0123456789ab";
        RedisClient client = RedisClient.create();
        RedisServer server = RedisServer.shared();
        try (RedisEngine engine = RedisEngine.connect(
                server.uri(), "p", Clock.system(), RedisOptions.defaults().slow(Duration.ofMinutes(1)))) {
            engine.ready().toCompletableFuture().get(60, TimeUnit.SECONDS);
            server.command("FUNCTION", "LOAD", DecideLibrary.TEXT.replace(mine, theirs) + "\n-- another version");
            StatefulRedisConnection<byte[], byte[]> other =
                    client.connect(ByteArrayCodec.INSTANCE, RedisURI.create(server.uri()));
            assertThat(server.command("FUNCTION", "LIST").list()).hasSize(2);
            for (Limit limit : LIMITS) {
                int allowed = 0;
                for (int i = 0; i < 30; i++) {
                    Ask ask = Ask.charging(List.of(Demand.of(limit, "k", 1)));
                    allowed += (i % 2 == 0 ? mine(engine, ask) : theirs(other, theirs, ask)) ? 1 : 0;
                }
                assertThat(allowed).as(limit.toString()).isEqualTo(10);
            }
        } finally {
            client.shutdown(0, 1, TimeUnit.SECONDS);
        }
    }

    private static boolean mine(RedisEngine engine, Ask ask) throws Exception {
        PendingOutcome pending = (PendingOutcome) engine.decide(ask);
        return ((EngineDecision) pending.outcome().toCompletableFuture().get(60, TimeUnit.SECONDS)).allowed();
    }

    private static boolean theirs(StatefulRedisConnection<byte[], byte[]> redis, String digest, Ask ask)
            throws Exception {
        Operation.AskOperation question =
                new Operation.AskOperation(ask, new RedisKeys("p").of(ask.demands()), Clock.system()::epochMicros);
        Batch batch = new Batch("", false);
        batch.add(question);
        byte[] reply = DecideLibrary.call(redis, "sluice_decide_" + digest, batch.keys(), batch.args())
                .toCompletableFuture()
                .get(60, TimeUnit.SECONDS);
        question.answer(new Reply(reply, null));
        return ((EngineDecision) question.outcome.get(60, TimeUnit.SECONDS)).allowed();
    }
}
