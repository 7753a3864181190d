package io.sluice.benchmarks;

import com.google.common.util.concurrent.RateLimiter;
import io.github.bucket4j.Bucket;
import io.sluice.core.Decision;
import io.sluice.core.Limiter;
import io.sluice.core.local.Gates;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.Verdict;
import io.sluice.core.time.Clock;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Decisions about many keys, of which a few are popular. Shows the cost of looking up the key. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ManyKeys {

    private static final int REQUESTS = 1 << 20;

    @Param({"100000", "1000000"})
    private int keys;

    private final String[] requests = new String[REQUESTS];
    private final LocalEngine engine =
            LocalEngine.builder().clock(Clock.system()).maxKeys(2_000_000).build();
    private final Gates gates = engine.gates(Workload.MANY);
    private final Limiter limiter = new Limiter(engine, Clock.system(), List.of());
    private final ConcurrentHashMap<String, Bucket> bucket4j = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<String, RateLimiter> guava = new ConcurrentHashMap<>();
    private int next;

    @Setup
    public void makeRequests() {
        Random random = new Random(42);
        String[] names = new String[keys];
        for (int i = 0; i < keys; i++) {
            names[i] = "user-" + i;
        }
        for (int i = 0; i < REQUESTS; i++) {
            // The square of a uniform number skews the choice: a tenth of the keys gets a third of the requests.
            double uniform = random.nextDouble();
            requests[i] = names[(int) (uniform * uniform * keys)];
        }
    }

    /** Also returns remaining, retry-after and reset-after, as Bucket4j does. */
    @Benchmark
    public long sluice() {
        Verdict verdict = gates.pass(request(), 1);
        return verdict.remaining() + verdict.retryAfterMicros() + verdict.resetAfterMicros();
    }

    /** Returns only whether the request passes. */
    @Benchmark
    public boolean sluiceTry() {
        return gates.tryPass(request(), 1);
    }

    /** Returns a decision with all its details. */
    @Benchmark
    public Decision sluiceLimiter() {
        return limiter.decide(Workload.MANY, request(), 1);
    }

    @Benchmark
    public Object bucket4j() {
        return bucket4j.computeIfAbsent(request(), key -> Peers.bucket4j(Peers.PLENTY))
                .tryConsumeAndReturnRemaining(1);
    }

    @Benchmark
    public boolean guava() {
        return guava.computeIfAbsent(request(), key -> RateLimiter.create(Peers.PLENTY))
                .tryAcquire();
    }

    private String request() {
        next = (next + 1) & (REQUESTS - 1);
        return requests[next];
    }
}
