package io.sluice.runtime.versions;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.runtime.versions.TwoVersions.Order;
import io.sluice.testkit.SeededRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Two versions of the rules that alternate on one count in Redis, which two nodes share. */
class TwoVersionsOnRedisTest {

    private static final int ROUNDS = 40;

    private final SeededRandom random = SeededRandom.of("TwoVersionsOnRedisTest");
    private final SharedHistory history = new SharedHistory();

    @ParameterizedTest
    @EnumSource
    void keepTheBoundOnOneCountInAnyOrder(Order order) throws Exception {
        run(TwoVersions.ofNumbers(TwoVersions.DISTRIBUTED), order, "p", "p");

        assertThat(history.counts()).hasSize(6);
        history.assertClean();
    }

    @Test
    void keepTheBoundWhenOneOfThemRefusesEverything() throws Exception {
        run(TwoVersions.ofZero(TwoVersions.DISTRIBUTED), Order.ONE_EACH, "p", "p");

        assertThat(history.counts()).hasSize(6);
        history.assertClean();
        assertThat(history.admittedBy(TwoVersions.NEWER)).isEmpty();
    }

    @Test
    void haveACountEachWhereTheWindowDiffers() throws Exception {
        run(TwoVersions.ofWindows(TwoVersions.DISTRIBUTED), Order.AT_RANDOM, "p", "p");

        assertThat(history.counts()).as("two for each window").hasSize(6 + 3);
        history.assertClean();
    }

    @Test
    void areFoundIfTheyHaveACountEach() throws Exception {
        run(TwoVersions.ofNumbers(TwoVersions.DISTRIBUTED), Order.NODE_BY_NODE, "older", "newer");

        history.assertFoundForEachAlgorithm();
    }

    private void run(TwoVersions versions, Order order, String prefix, String otherPrefix) throws Exception {
        int decisions = ROUNDS * Callers.REQUESTS_PER_ROUND / 2;
        try (RedisNodes nodes = new RedisNodes(history)) {
            nodes.add(prefix, versions.decidedBy(order, 0, decisions, random));
            nodes.add(otherPrefix, versions.decidedBy(order, 1, decisions, random));
            try (Callers callers = new Callers(nodes.evaluators(), random)) {
                for (int i = 0; i < ROUNDS; i++) {
                    callers.round();
                }
            }
        }
    }
}
