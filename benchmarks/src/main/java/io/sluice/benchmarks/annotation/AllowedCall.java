package io.sluice.benchmarks.annotation;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** Calls of methods whose limits let every call pass. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class AllowedCall {

    private static final int KEYS = 1_000;

    private final Echo proxied = Applications.proxied();
    private final Echo inline = Applications.sluice(Echo.Inline.class);
    private final Echo named = Applications.sluice(Echo.Named.class);
    private final Echo keyed = Applications.sluice(Echo.Keyed.class);
    private final Echo peer = Applications.resilience4j(Echo.Peer.class);

    /** Lets each thread cycle through the keys on its own. */
    @State(Scope.Thread)
    public static class Keys {
        private long next;

        long next() {
            next = (next + 1) % KEYS;
            return next;
        }
    }

    @Benchmark
    public long proxy() {
        return proxied.call(1);
    }

    @Benchmark
    public long sluiceInline() {
        return inline.call(1);
    }

    @Benchmark
    public long sluiceRule() {
        return named.call(1);
    }

    @Benchmark
    public long sluiceKey(Keys keys) {
        return keyed.call(keys.next());
    }

    @Benchmark
    public long resilience4j() {
        return peer.call(1);
    }
}
