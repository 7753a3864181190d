package io.sluice.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.time.Clock;
import io.sluice.node.config.NodeConfig;
import io.sluice.node.config.NodeConfig.RulesFrom;
import io.sluice.node.state.Health;
import io.sluice.runtime.StoreWatch;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class HealthTest {

    @Test
    void isDegradedUntilDurableLimitsAreRestoredAlsoIfNobodyAsks() throws Exception {
        NodeConfig config = NodeConfig.inProcess(new RulesFrom.Text("rules", "rules: []"), 0);
        Clock clock = Clock.system();
        try (NodeFleet fleet = NodeFleet.open(config, clock)) {
            Health health = new Health(NodeRules.open(config, fleet), new StoreWatch(null, clock));
            AtomicBoolean restored = new AtomicBoolean();
            health.watchDurable(List::of, restored::get);

            assertThat(health.degraded()).isEqualTo("not-restored");
            restored.set(true);
            assertThat(health.degraded()).isNull();
        }
    }
}
