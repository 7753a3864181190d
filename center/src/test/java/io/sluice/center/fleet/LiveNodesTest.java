package io.sluice.center.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.time.ManualClock;
import io.sluice.runtime.fleet.NodeHealth;
import io.sluice.runtime.fleet.NodeIdentity;
import io.sluice.runtime.fleet.NodeReport;
import io.sluice.runtime.fleet.RulesInForce;
import io.sluice.testkit.QuietClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class LiveNodesTest {

    private final ManualClock clock = QuietClock.at(1_790_000_000_000_000L);
    private final LiveNodes nodes = new LiveNodes(clock);

    @Test
    void redisDoesNotSpeakForANodeThatIsLiveOverHttp() {
        assertThat(nodes.report(report(1), NodeState.Way.HTTP)).isTrue();
        assertThat(nodes.report(report(2), NodeState.Way.REDIS)).isFalse();
        assertThat(nodes.find("n1").orElseThrow().way()).isEqualTo(NodeState.Way.HTTP);
        assertThat(nodes.report(report(2), NodeState.Way.HTTP)).isTrue();
        for (int i = 0; i < 6; i++) {
            clock.advance(Duration.ofSeconds(1));
            nodes.attend();
        }
        // It may have been started again without a center.
        assertThat(nodes.report(report(3), NodeState.Way.REDIS)).isTrue();
        assertThat(nodes.report(report(4), NodeState.Way.HTTP)).isTrue();
        assertThat(nodes.find("n1").orElseThrow().way()).isEqualTo(NodeState.Way.HTTP);
    }

    @Test
    void aReportThatTheDatabaseStillHasDoesNotReplaceANewerOne() {
        assertThat(nodes.report(report(8), NodeState.Way.HTTP)).isTrue();
        nodes.learn(report(7));
        assertThat(nodes.find("n1").orElseThrow().report().beat()).isEqualTo(8);
        nodes.learn(report(9));
        assertThat(nodes.find("n1").orElseThrow().report().beat()).isEqualTo(9);
        assertThat(nodes.report(report(8), NodeState.Way.HTTP)).isFalse();
    }

    @Test
    void aReportOfAnEarlierStartCountsOnlyIfTheNodeIsSilent() {
        assertThat(nodes.report(report(2, 1), NodeState.Way.HTTP)).isTrue();
        nodes.learn(report(1, 50));
        assertThat(nodes.find("n1").orElseThrow().report().identity().startedMillis())
                .isEqualTo(2);
        for (int i = 0; i < 6; i++) {
            clock.advance(Duration.ofSeconds(1));
            nodes.attend();
        }
        // The clock of the node may have been set back before it started again.
        nodes.learn(report(1, 51));
        assertThat(nodes.find("n1").orElseThrow().report().beat()).isEqualTo(51);
    }

    @Test
    void aTakeoverGivesNodesThatWereLiveLatelyTheirTime() {
        assertThat(nodes.report(report(1), NodeState.Way.HTTP)).isTrue();
        pass(6);
        assertThat(nodes.live()).isEmpty();
        nodes.takeOver();
        assertThat(nodes.live()).hasSize(1);
        pass(6);
        assertThat(nodes.live()).isEmpty();
        // Leaders may change often; a node that is gone does not live on by that.
        pass(30);
        nodes.takeOver();
        assertThat(nodes.live()).isEmpty();
    }

    @Test
    void aCenterSharesOnlyReportsThatItGotItself() {
        assertThat(nodes.report(report(8), NodeState.Way.HTTP)).isTrue();
        assertThat(nodes.own()).extracting(NodeReport::beat).containsExactly(8L);
        nodes.learn(report(9));
        assertThat(nodes.own()).isEmpty();
        assertThat(nodes.report(report(10), NodeState.Way.HTTP)).isTrue();
        assertThat(nodes.own()).extracting(NodeReport::beat).containsExactly(10L);
        pass(6);
        assertThat(nodes.own()).isEmpty();
    }

    private void pass(int seconds) {
        for (int i = 0; i < seconds; i++) {
            clock.advance(Duration.ofSeconds(1));
            nodes.attend();
        }
    }

    private static NodeReport report(long beat) {
        return report(1, beat);
    }

    private static NodeReport report(long started, long beat) {
        return new NodeReport(
                new NodeIdentity("n1", NodeReport.Kind.NODE, "n1:8080", "test", started),
                beat,
                RulesInForce.of(0, "", 0),
                NodeHealth.of(NodeReport.Mode.REMOTE, NodeReport.Breaker.CLOSED));
    }
}
