package io.sluice.benchmarks.annotation;

import io.github.resilience4j.ratelimiter.RequestNotPermitted;
import io.sluice.spring.RateLimitExceededException;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** Calls that are refused, including catching the exception. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class RefusedCall {

    private final Echo exhausted = Applications.sluice(Echo.Exhausted.class);
    private final Echo peer = Applications.resilience4j(Echo.PeerExhausted.class);
    private final Echo withoutTrace = Applications.resilience4j(Echo.PeerExhaustedWithoutTrace.class);

    @Benchmark
    public Object sluiceInline() {
        try {
            return exhausted.call(1);
        } catch (RateLimitExceededException e) {
            return e;
        }
    }

    @Benchmark
    public Object resilience4j() {
        return refused(peer);
    }

    @Benchmark
    public Object resilience4jWithoutTrace() {
        return refused(withoutTrace);
    }

    private static Object refused(Echo echo) {
        try {
            return echo.call(1);
        } catch (RequestNotPermitted e) {
            return e;
        }
    }
}
