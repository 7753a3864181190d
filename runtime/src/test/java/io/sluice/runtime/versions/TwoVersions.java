package io.sluice.runtime.versions;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.snapshot.RuleSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** Two versions of the same rules that decide side by side: one rule for each algorithm, each with one limit by user. */
record TwoVersions(RuleSet older, RuleSet newer) {

    static final long OLDER = 12;
    static final long NEWER = 13;

    static final String LOCAL = "mode: local";
    static final String DISTRIBUTED = "mode: distributed, deadline: 1m";
    static final String LEASING = "mode: local_distributed, deadline: 1m, lease: { share: 0.5 }";

    /** The ids of the rules, one for each algorithm. */
    static final List<String> ALGORITHMS = List.of("token", "leaky", "fixed", "window", "log", "held");

    /**
     * The numbers of one version, the same for all algorithms.
     *
     * @param rate per second
     * @param limit also the burst and the capacity
     */
    record Numbers(long rate, long limit, int windowMillis) {

        private RuleSet set(long version, String mode) {
            String text = """
                    rules:
                      - { id: token, RULE, limits: [{ BY, algorithm: token_bucket, rate: RATE/s, burst: BURST }] }
                      - { id: leaky, RULE, limits: [{ BY, algorithm: leaky_bucket, rate: RATE/s, capacity: LIMIT }] }
                      - { id: fixed, RULE, limits: [{ BY, algorithm: fixed_window, limit: LIMIT, window: WINDOWms }] }
                      - { id: window, RULE, limits: [{ BY, algorithm: sliding_window, limit: LIMIT, window: WINDOWms }] }
                      - { id: log, RULE, limits: [{ BY, algorithm: sliding_log, limit: LIMIT, window: WINDOWms }] }
                      - { id: held, RULE, limits: [{ BY, algorithm: concurrency, limit: LIMIT, ttl: 80ms }] }
                    """;
            for (String id : ALGORITHMS) {
                text = text.replace("id: " + id + ", RULE", "id: " + id + ", match: { asks: '*" + id + "*' }, RULE");
            }
            text = text.replace("RULE", mode)
                    .replace("BY", "id: numbers, by: user")
                    .replace("RATE", Long.toString(rate))
                    .replace("BURST", Long.toString(Math.max(1, limit)))
                    .replace("LIMIT", Long.toString(limit))
                    .replace("WINDOW", Integer.toString(windowMillis));
            RuleDocument document = RuleDocument.parse("version " + version, text);
            assertThat(document).isInstanceOf(RuleDocument.Accepted.class);
            return new RuleSet(version, ((RuleDocument.Accepted) document).rules());
        }
    }

    /** In which order the versions decide. */
    enum Order {
        ONE_EACH,
        AT_RANDOM,
        LONG_BLOCKS,
        UP_DOWN_UP,
        /** The first node decides by the older version, the second by the newer one. */
        NODE_BY_NODE
    }

    static TwoVersions of(String mode, Numbers older, Numbers newer) {
        return new TwoVersions(older.set(OLDER, mode), newer.set(NEWER, mode));
    }

    /** Limits of 5 and of 50. */
    static TwoVersions ofNumbers(String mode) {
        return of(mode, new Numbers(50, 5, 100), new Numbers(500, 50, 100));
    }

    /** The newer version refuses everything. */
    static TwoVersions ofZero(String mode) {
        return of(mode, new Numbers(500, 50, 100), new Numbers(0, 0, 100));
    }

    /** The newer version has a wider window, so it has counts of its own where there is a window. */
    static TwoVersions ofWindows(String mode) {
        return of(mode, new Numbers(50, 5, 100), new Numbers(50, 5, 300));
    }

    /**
     * Returns what a node decides by.
     *
     * @param decisions about how many decisions the node will make
     */
    Supplier<RuleSet> decidedBy(Order order, int node, int decisions, Random random) {
        AtomicInteger next = new AtomicInteger();
        int quarter = Math.max(1, decisions / 4);
        return () -> {
            int n = next.getAndIncrement();
            boolean first =
                    switch (order) {
                        case ONE_EACH -> n % 2 == 0;
                        case AT_RANDOM -> random.nextBoolean();
                        case LONG_BLOCKS -> n / 200 % 2 == 0;
                        case UP_DOWN_UP -> n / quarter % 2 == 0;
                        case NODE_BY_NODE -> node % 2 == 0;
                    };
            return first ? older : newer;
        };
    }
}
