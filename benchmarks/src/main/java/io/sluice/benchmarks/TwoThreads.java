package io.sluice.benchmarks;

import com.google.common.util.concurrent.RateLimiter;
import io.github.bucket4j.Bucket;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.local.Gate;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.time.Clock;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Threads;

/** Decisions of two threads that ask for one key as fast as they can. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Threads(2)
public class TwoThreads {

    private final LocalEngine engine = new LocalEngine(Clock.system());
    private final Gate plenty = engine.gate(Workload.ONE, "gate");
    private final Gate striped =
            LocalEngine.builder().stripedGates(0.01).build().gate(Workload.ONE, "striped");
    private final Bucket bucket4jPlenty = Peers.bucket4j(Peers.PLENTY);
    private final RateLimiter guavaPlenty = RateLimiter.create(Peers.PLENTY);
    private final io.github.resilience4j.ratelimiter.RateLimiter resilience4jPlenty =
            Peers.resilience4j(Peers.PLENTY_AS_INT);

    private final Gate none =
            engine.gate(Limit.named("refused").tokenBucket(Rate.perDay(1)).withBurst(1), "k");
    private final Bucket bucket4jNone = Peers.bucket4j(1);
    private final RateLimiter guavaNone = RateLimiter.create(0.000_01);

    @Setup
    public void exhaust() {
        none.tryPass(1);
        bucket4jNone.tryConsume(1);
        if (!guavaNone.tryAcquire() || none.tryPass(1) || bucket4jNone.tryConsume(1) || guavaNone.tryAcquire()) {
            throw new IllegalStateException("a limit is not exhausted");
        }
    }

    @Benchmark
    public boolean allowedSluice() {
        return plenty.tryPass(1);
    }

    @Benchmark
    public boolean allowedSluiceStriped() {
        return striped.tryPass(1);
    }

    @Benchmark
    public boolean allowedBucket4j() {
        return bucket4jPlenty.tryConsume(1);
    }

    @Benchmark
    public boolean allowedGuava() {
        return guavaPlenty.tryAcquire();
    }

    @Benchmark
    public boolean allowedResilience4j() {
        return resilience4jPlenty.acquirePermission();
    }

    @Benchmark
    public boolean refusedSluice() {
        return none.tryPass(1);
    }

    @Benchmark
    public boolean refusedBucket4j() {
        return bucket4jNone.tryConsume(1);
    }

    @Benchmark
    public boolean refusedGuava() {
        return guavaNone.tryAcquire();
    }
}
