package io.sluice.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.time.Clock;
import io.sluice.node.config.NodeConfig;
import io.sluice.node.config.NodeConfig.RulesFrom;
import io.sluice.node.state.Health;
import io.sluice.node.state.NodeMetrics;
import io.sluice.runtime.OpenRules;
import io.sluice.runtime.Store;
import io.sluice.runtime.StoreWatch;
import io.sluice.runtime.participant.Closing;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class HealthTest {

    @Test
    void isDegradedUntilDurableLimitsAreRestoredAlsoIfNobodyAsks() throws Exception {
        NodeConfig config = NodeConfig.inProcess(new RulesFrom.Text("rules", "rules: []"), 0);
        Clock clock = Clock.system();
        try (Closing parts = new Closing()) {
            OpenRules rules = NodeParts.participant(
                            config, Store::redis, new NodeMetrics().limits(), Optional.empty(), parts, clock)
                    .rules();
            Health health = new Health(rules, new StoreWatch(null, clock));
            AtomicBoolean restored = new AtomicBoolean();
            health.watchDurable(List::of, restored::get);

            assertThat(health.degraded()).isEqualTo("not-restored");
            restored.set(true);
            assertThat(health.degraded()).isNull();
        }
    }
}
