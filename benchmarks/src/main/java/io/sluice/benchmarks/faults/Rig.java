package io.sluice.benchmarks.faults;

import io.sluice.core.FallbackEngine;
import io.sluice.core.Limit;
import io.sluice.core.Rate;
import io.sluice.core.spi.Demand;
import io.sluice.core.time.Clock;
import io.sluice.redis.RedisEngine;
import io.sluice.redis.RedisOptions;
import io.sluice.redis.StoreListener;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** An engine on Redis with its stand-in, ready. */
final class Rig implements AutoCloseable {

    /** So much that nobody is ever refused. */
    static final Limit PLENTY =
            Limit.named("plenty").tokenBucket(Rate.perSecond(1_000_000)).withBurst(1_000_000);

    final RedisEngine redis;
    final FallbackEngine engine;

    Rig(String uri) {
        this(uri, Clock.system(), StoreListener.NONE);
    }

    Rig(String uri, Clock clock, StoreListener listener) {
        redis = RedisEngine.connect(
                uri, "rate_limit", clock, RedisOptions.defaults().listener(listener));
        engine = new FallbackEngine(redis, clock);
        try {
            redis.ready().toCompletableFuture().get(30, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            engine.close();
            throw new IllegalStateException("Redis is not ready", e);
        }
    }

    /** One of a hundred keys. */
    static List<Demand> plenty(int i) {
        return List.of(Demand.of(PLENTY, "k" + i % 100, 1));
    }

    @Override
    public void close() {
        engine.close();
    }
}
