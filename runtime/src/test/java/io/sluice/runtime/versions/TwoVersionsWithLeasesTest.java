package io.sluice.runtime.versions;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.runtime.versions.TwoVersions.Numbers;
import io.sluice.runtime.versions.TwoVersions.Order;
import io.sluice.testkit.Await;
import io.sluice.testkit.SeededRandom;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Two versions of the rules that alternate on one count in Redis, from which two nodes take leases. */
class TwoVersionsWithLeasesTest {

    private static final int ROUNDS = 40;
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    /** Numbers that are large enough to be leased and small enough to be exhausted. */
    private static final Numbers SMALL = new Numbers(1_000, 100, 100);

    private static final Numbers LARGE = new Numbers(5_000, 500, 100);

    private final SeededRandom random = SeededRandom.of("TwoVersionsWithLeasesTest");
    private final SharedHistory history = new SharedHistory();

    @ParameterizedTest
    @EnumSource
    void keepTheBoundOnOneCountInAnyOrder(Order order) throws Exception {
        TwoVersions versions = TwoVersions.of(TwoVersions.LEASING, SMALL, LARGE);
        run(versions, order, List.of("p", "p"), TwoVersions.OLDER, TwoVersions.NEWER);

        assertThat(history.counts()).hasSize(6);
        history.assertClean();
        history.assertSpentByTheirOwnNumbers();
    }

    @Test
    void keepTheBoundWhenOneOfThemRefusesEverything() throws Exception {
        TwoVersions versions = TwoVersions.of(TwoVersions.LEASING, LARGE, new Numbers(0, 0, 100));
        run(versions, Order.ONE_EACH, List.of("p", "p"), TwoVersions.OLDER);

        assertThat(history.counts()).hasSize(6);
        history.assertClean();
        assertThat(history.admittedBy(TwoVersions.NEWER)).isEmpty();
        assertThat(history.spentBy(TwoVersions.NEWER)).isEmpty();
    }

    @Test
    void haveACountEachWhereTheWindowDiffers() throws Exception {
        TwoVersions versions = TwoVersions.of(TwoVersions.LEASING, SMALL, new Numbers(5_000, 500, 300));
        run(versions, Order.AT_RANDOM, List.of("p", "p"), TwoVersions.OLDER, TwoVersions.NEWER);

        assertThat(history.counts()).as("two for each window").hasSize(6 + 3);
        history.assertClean();
        history.assertSpentByTheirOwnNumbers();
    }

    @Test
    void areFoundIfTheyHaveACountEach() throws Exception {
        TwoVersions versions = TwoVersions.of(TwoVersions.LEASING, SMALL, LARGE);
        List<String> prefixes = List.of("older", "newer");
        run(versions, Order.NODE_BY_NODE, prefixes, TwoVersions.OLDER, TwoVersions.NEWER);

        history.assertFoundForEachAlgorithm();
    }

    /** Runs some rounds, and more until each of these versions has spent permits of leases. */
    private void run(TwoVersions versions, Order order, List<String> prefixes, long... leasing) throws Exception {
        int decisions = ROUNDS * Callers.REQUESTS_PER_ROUND / prefixes.size();
        try (RedisNodes nodes = new RedisNodes(history)) {
            for (int i = 0; i < prefixes.size(); i++) {
                nodes.add(prefixes.get(i), versions.decidedBy(order, i, decisions, random));
            }
            try (Callers callers = new Callers(nodes.evaluators(), random)) {
                for (int i = 0; i < ROUNDS; i++) {
                    callers.round();
                }
                for (long version : leasing) {
                    Await.until("permits of leases spent by version " + version, PATIENCE, () -> {
                        callers.round();
                        return !history.spentBy(version).isEmpty();
                    });
                }
            }
        }
    }
}
