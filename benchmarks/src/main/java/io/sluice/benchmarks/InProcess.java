package io.sluice.benchmarks;

import com.google.common.util.concurrent.RateLimiter;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.ConsumptionProbe;
import io.sluice.core.Decision;
import io.sluice.core.Limiter;
import io.sluice.core.time.Clock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.Blackhole;

/** One thread, one key, every request allowed. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class InProcess {

    private static final long PLENTY = 1_000_000_000;

    private final Clock clock = Clock.system();
    private final AtomicLong cell = new AtomicLong();
    private final Limiter limiter = Limiter.inProcess();
    private final RateLimiter guava = RateLimiter.create(PLENTY);
    private final Bucket bucket4j = bucket();
    private final Bucket[] buckets = {bucket(), bucket(), bucket(), bucket()};

    private static Bucket bucket() {
        return Bucket.builder()
                .addLimit(limit -> limit.capacity(PLENTY).refillGreedy(PLENTY, Duration.ofSeconds(1)))
                .withNanosecondPrecision()
                .build();
    }

    /** The least an exact decision can cost: one clock read, one compare-and-set. */
    @Benchmark
    public boolean floor() {
        long seen = cell.get();
        return cell.compareAndSet(seen, clock.nanoTime());
    }

    @Benchmark
    public Decision sluiceOne() {
        return limiter.decide(Workload.ONE, "203.0.113.7", 1);
    }

    @Benchmark
    public boolean guavaOne() {
        return guava.tryAcquire();
    }

    @Benchmark
    public boolean bucket4jOne() {
        return bucket4j.tryConsume(1);
    }

    /** With remaining and waiting time, as Sluice always answers. */
    @Benchmark
    public ConsumptionProbe bucket4jOneProbe() {
        return bucket4j.tryConsumeAndReturnRemaining(1);
    }

    /** All or nothing. */
    @Benchmark
    public Decision sluiceFour() {
        return limiter.decide(Workload.FOUR);
    }

    /** One after the other: a refusal by the last leaves the others charged. */
    @Benchmark
    public void bucket4jFourProbes(Blackhole sink) {
        for (Bucket bucket : buckets) {
            sink.consume(bucket.tryConsumeAndReturnRemaining(1));
        }
    }
}
