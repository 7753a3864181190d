package io.sluice.replay.imports.peers;

import static org.assertj.core.api.Assertions.assertThat;

import com.alibaba.csp.sentinel.node.StatisticNode;
import com.alibaba.csp.sentinel.slots.block.RuleConstant;
import com.alibaba.csp.sentinel.slots.block.flow.controller.DefaultController;
import com.alibaba.csp.sentinel.slots.statistic.data.MetricBucket;
import com.alibaba.csp.sentinel.slots.statistic.metric.BucketLeapArray;
import io.sluice.replay.imports.ImportKind;
import io.sluice.testkit.SeededRandom;
import org.junit.jupiter.api.Test;

/** The imported rule beside Sentinel's own controller and counters, on the same times. */
class SentinelPeerTest {

    private static final long START_MILLIS = 1_790_000_000_123L;

    /** Sentinel's counters of a second, at a time that the test gives. */
    private static final class NodeAt extends StatisticNode {

        private final BucketLeapArray second = new BucketLeapArray(2, 1_000);
        private long nowMillis;

        @Override
        public double passQps() {
            second.currentWindow(nowMillis);
            long passed = 0;
            for (MetricBucket bucket : second.values(nowMillis)) {
                passed += bucket.pass();
            }
            return passed / second.getIntervalInSecond();
        }

        void pass() {
            second.currentWindow(nowMillis).value().addPass(1);
        }
    }

    @Test
    void admitsTheSameRequestsAsAFlowRule() {
        SeededRandom random = SeededRandom.of("SentinelPeerTest");
        int refused = 0;
        for (int count : new int[] {1, 7, 20}) {
            ImportedLimit imported = new ImportedLimit(
                    ImportKind.SENTINEL,
                    "flow.json",
                    "[{\"resource\": \"/orders\", \"grade\": 1, \"count\": " + count + "}]",
                    START_MILLIS * 1_000);
            DefaultController original = new DefaultController(count, RuleConstant.FLOW_GRADE_QPS);
            NodeAt node = new NodeAt();
            for (long millis : Arrivals.millis(random, START_MILLIS, 3_000, 500 / count)) {
                node.nowMillis = millis;
                boolean allowed = original.canPass(node, 1);
                if (allowed) {
                    node.pass();
                }
                refused += allowed ? 0 : 1;
                assertThat(imported.allows("", millis * 1_000))
                        .as("at %d", millis)
                        .isEqualTo(allowed);
            }
        }
        assertThat(refused).as("the arrivals exceed the limit").isPositive();
    }
}
