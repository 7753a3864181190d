package io.sluice.benchmarks;

import com.alibaba.csp.sentinel.Entry;
import com.alibaba.csp.sentinel.SphU;
import com.alibaba.csp.sentinel.slots.block.BlockException;
import com.google.common.util.concurrent.RateLimiter;
import io.github.bucket4j.Bucket;
import io.sluice.core.Decision;
import io.sluice.core.Limiter;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.local.Gate;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.time.Clock;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Decisions about one key that refuse every request. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Refused {

    private final Clock clock = Clock.system();
    private final Limit limit =
            Limit.named("refused").tokenBucket(Rate.perDay(1)).withBurst(1);
    private final LocalEngine engine = new LocalEngine(clock);
    private final Limiter limiter = new Limiter(engine, clock, List.of());
    private final Gate gate = engine.gate(limit, "k");
    private final RateLimiter guava = RateLimiter.create(0.000_01);
    private final io.github.resilience4j.ratelimiter.RateLimiter resilience4j = Peers.resilience4j(1);
    private final Bucket bucket4j = Peers.bucket4j(1);
    private final String sentinel = Peers.sentinel("refused", 0);

    @Setup(Level.Iteration)
    public void exhaust() {
        gate.tryPass(1);
        boolean unused = guava.tryAcquire();
        resilience4j.acquirePermission();
        bucket4j.tryConsume(1);
        if (gate.tryPass(1) || guava.tryAcquire() || resilience4j.acquirePermission() || bucket4j.tryConsume(1)) {
            throw new IllegalStateException("a limit is not exhausted");
        }
    }

    /** The minimum cost of an exact refusal: one clock read. */
    @Benchmark
    public long floor() {
        return clock.nanoTime();
    }

    @Benchmark
    public boolean sluiceGate() {
        return gate.tryPass(1);
    }

    /** Also looks up the key and returns a decision with all its details. */
    @Benchmark
    public Decision sluiceLimiter() {
        return limiter.decide(limit, "k", 1);
    }

    @Benchmark
    public boolean guava() {
        return guava.tryAcquire();
    }

    @Benchmark
    public boolean bucket4j() {
        return bucket4j.tryConsume(1);
    }

    @Benchmark
    public boolean resilience4j() {
        return resilience4j.acquirePermission();
    }

    @Benchmark
    public boolean sentinel() {
        try (Entry entry = SphU.entry(sentinel)) {
            return entry != null;
        } catch (BlockException e) {
            return false;
        }
    }
}
