package io.sluice.benchmarks;

import com.alibaba.csp.sentinel.Entry;
import com.alibaba.csp.sentinel.SphU;
import com.alibaba.csp.sentinel.slots.block.BlockException;
import com.google.common.util.concurrent.RateLimiter;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.ConsumptionProbe;
import io.sluice.core.Decision;
import io.sluice.core.Limiter;
import io.sluice.core.local.Gate;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.Verdict;
import io.sluice.core.time.Clock;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.Blackhole;

/** Decisions about one key that allow every request. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class InProcess {

    private final Clock clock = Clock.system();
    private final AtomicLong cell = new AtomicLong();
    private final LocalEngine engine = new LocalEngine(clock);
    private final Limiter limiter = new Limiter(engine, clock, List.of());
    private final Gate gate = engine.gate(Workload.ONE, "gate");
    private final RateLimiter guava = RateLimiter.create(Peers.PLENTY);
    private final io.github.resilience4j.ratelimiter.RateLimiter resilience4j = Peers.resilience4j(Peers.PLENTY_AS_INT);
    private final Bucket bucket4j = Peers.bucket4j(Peers.PLENTY);
    private final Bucket[] buckets = {
        Peers.bucket4j(Peers.PLENTY),
        Peers.bucket4j(Peers.PLENTY),
        Peers.bucket4j(Peers.PLENTY),
        Peers.bucket4j(Peers.PLENTY)
    };
    private final String sentinel = Peers.sentinel("allowed", Peers.PLENTY);

    /** The minimum cost of an exact decision: one clock read and one compare-and-set. */
    @Benchmark
    public boolean floor() {
        long seen = cell.get();
        return cell.compareAndSet(seen, clock.nanoTime());
    }

    @Benchmark
    public boolean sluiceGate() {
        return gate.tryPass(1);
    }

    /** Also returns remaining, retry-after and reset-after. */
    @Benchmark
    public long sluiceGateRich() {
        Verdict verdict = gate.pass(1);
        return verdict.remaining() + verdict.retryAfterMicros() + verdict.resetAfterMicros();
    }

    /** Also looks up the key and returns a decision with all its details. */
    @Benchmark
    public Decision sluiceLimiter() {
        return limiter.decide(Workload.ONE, "203.0.113.7", 1);
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
    public long bucket4jRich() {
        ConsumptionProbe probe = bucket4j.tryConsumeAndReturnRemaining(1);
        return probe.getRemainingTokens() + probe.getNanosToWaitForRefill() + probe.getNanosToWaitForReset();
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

    /** Charges all four limits or none. */
    @Benchmark
    public Decision sluiceFour() {
        return limiter.decide(Workload.FOUR);
    }

    /** Charges the limits one after the other, so if the last one refuses, the others stay charged. */
    @Benchmark
    public void bucket4jFour(Blackhole sink) {
        for (Bucket bucket : buckets) {
            sink.consume(bucket.tryConsumeAndReturnRemaining(1));
        }
    }
}
