package io.sluice.benchmarks;

import io.sluice.rules.model.Rule;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.snapshot.RuleSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * The cost of finding the rules of a request among many rules, and of building a rule set from text. {@code few} repeats 64
 * requests, like a node whose callers come back. {@code wide} repeats 4,096 requests, so with very many rules it also measures
 * cache misses of the processor.
 */
public class Matching {

    private static final int LARGEST = 100_000;

    @Benchmark
    @BenchmarkMode(Mode.AverageTime)
    @OutputTimeUnit(TimeUnit.NANOSECONDS)
    public List<Rule> few(Asked asked) {
        return asked.set.matching(asked.request(64));
    }

    @Benchmark
    @BenchmarkMode(Mode.AverageTime)
    @OutputTimeUnit(TimeUnit.NANOSECONDS)
    public List<Rule> wide(Asked asked) {
        return asked.set.matching(asked.request(Asked.REQUESTS));
    }

    @Benchmark
    @BenchmarkMode(Mode.SingleShotTime)
    @OutputTimeUnit(TimeUnit.MILLISECONDS)
    public List<Rule> parse(Written written) {
        return MixedRules.parsed(written.document);
    }

    @Benchmark
    @BenchmarkMode(Mode.SingleShotTime)
    @OutputTimeUnit(TimeUnit.MILLISECONDS)
    public RuleSet index(Written written) {
        return new RuleSet(1, written.rules);
    }

    /** A rule set and the requests to match. */
    @State(Scope.Benchmark)
    public static class Asked {

        static final int REQUESTS = 4_096;

        @Param({"100", "1000", "10000", "100000"})
        public int rules;

        private final Attributes[] requests = new Attributes[REQUESTS];
        private RuleSet set = RuleSet.none();
        private int next;

        @Setup
        public void make() {
            set = new RuleSet(1, MixedRules.parsed(MixedRules.document(rules)));
            Random random = new Random(42);
            for (int i = 0; i < REQUESTS; i++) {
                requests[i] = MixedRules.request(random, rules);
            }
        }

        Attributes request(int many) {
            next = (next + 1) & (many - 1);
            return requests[next];
        }
    }

    /** A large document, as text and parsed. */
    @State(Scope.Benchmark)
    public static class Written {

        private String document = "";
        private List<Rule> rules = List.of();

        @Setup
        public void make() {
            document = MixedRules.document(LARGEST);
            rules = MixedRules.parsed(document);
        }
    }
}
