package io.sluice.benchmarks.faults;

import io.sluice.core.decorator.FallbackEngine;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.LeasePolicy;
import io.sluice.core.time.Clock;
import io.sluice.redis.RedisStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** An engine on Redis with its fallback, ready for use. */
final class Rig implements AutoCloseable {

    /** A limit that never refuses. */
    static final Limit PLENTY =
            Limit.named("plenty").tokenBucket(Rate.perSecond(1_000_000)).withBurst(1_000_000);

    /** The default lease policy of nodes. */
    static final LeasePolicy LEASED = new LeasePolicy(0, 0.1, 1_000_000);

    private static final String PREFIX = "rate_limit";

    final RedisStore redis;
    final FallbackEngine engine;

    Rig(String uri) {
        this(bare(uri), Clock.system());
    }

    Rig(RedisStore.Builder options, Clock clock) {
        redis = options.prefix(PREFIX).clock(clock).open();
        engine = new FallbackEngine(redis.engine(), clock);
        try {
            redis.ready().toCompletableFuture().get(30, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            engine.close();
            throw new IllegalStateException("Redis is not ready", e);
        }
    }

    /** Returns the options for the engine alone. */
    static RedisStore.Builder bare(String uri) {
        return RedisStore.at(uri).rememberedRefusals(false).leases(false).guard(false);
    }

    /** Opens an engine that asks Redis however slow this machine is, for answers that must be those of Redis. */
    static Rig patient(String uri, Clock clock) {
        return new Rig(bare(uri).slow(Duration.ofMinutes(1)), clock);
    }

    /** Returns the options of a node, with cached refusals and leases. */
    static RedisStore.Builder leasing(String uri) {
        return RedisStore.at(uri).guard(false);
    }

    /** Asks for one of a hundred keys. */
    static List<Demand> plenty(int i) {
        return List.of(Demand.of(PLENTY, "k" + i % 100, 1));
    }

    /** Asks for one of four keys, so each is used often enough for leases. */
    static List<Demand> leased(int i) {
        return List.of(Demand.of(PLENTY, "k" + i % 4, 1).leasedBy(LEASED));
    }

    @Override
    public void close() {
        engine.close();
    }
}
