package io.sluice.replay.imports.peers;

import static org.assertj.core.api.Assertions.assertThat;

import com.alibaba.csp.sentinel.EntryType;
import com.alibaba.csp.sentinel.slotchain.StringResourceWrapper;
import com.alibaba.csp.sentinel.slots.block.flow.param.ParamFlowChecker;
import com.alibaba.csp.sentinel.slots.block.flow.param.ParamFlowRule;
import com.alibaba.csp.sentinel.slots.block.flow.param.ParameterMetricStorage;
import io.sluice.replay.imports.ImportKind;
import io.sluice.testkit.SeededRandom;
import org.junit.jupiter.api.Test;

/** The imported rule beside Sentinel's check of hot parameters, on the same times. */
class HotParameterPeerTest {

    private static final long START_MILLIS = 1_790_000_000_123L;
    private static final int COUNT = 20;
    private static final int BURST = 10;
    private static final int REQUESTS = 1_000;
    private static final int RUN_MILLIS = 3_500;

    @Test
    void differsByNoMoreThanTheWarningSays() throws Exception {
        try (SentinelClock clock = new SentinelClock()) {
            for (int run = 0; run < 20; run++) {
                run(clock, SeededRandom.of("HotParameterPeerTest"), "getUser" + run);
            }
        }
    }

    private static void run(SentinelClock clock, SeededRandom random, String name) throws Exception {
        ParamFlowRule rule =
                new ParamFlowRule(name).setParamIdx(0).setCount(COUNT).setDurationInSec(1);
        rule.setBurstCount(BURST);
        StringResourceWrapper resource = new StringResourceWrapper(name, EntryType.IN);
        ParameterMetricStorage.initParamMetricsFor(resource, rule);
        ImportedLimit imported = new ImportedLimit(
                ImportKind.SENTINEL,
                "param.json",
                "[{\"resource\": \"" + name + "\", \"paramIdx\": 0, \"count\": " + COUNT + ", \"burstCount\": " + BURST
                        + "}]",
                START_MILLIS * 1_000);
        long originals = 0;
        long importeds = 0;
        long millis = START_MILLIS;
        for (int i = 0; i < REQUESTS; i++) {
            millis += random.nextInt(4) == 0 ? random.nextInt(8 * RUN_MILLIS / REQUESTS) : 0;
            clock.set(millis);
            originals += ParamFlowChecker.passCheck(resource, rule, 1, "u-17") ? 1 : 0;
            importeds += imported.allows("u-17", millis * 1_000) ? 1 : 0;
        }
        long fills = 1 + (millis - START_MILLIS) / 1_000;
        assertThat(originals).as("the arrivals exceed the limit").isLessThan(REQUESTS);
        assertThat(importeds - originals).isLessThanOrEqualTo(COUNT + fills + 2);
        assertThat(originals - importeds).isLessThanOrEqualTo(2);
    }
}
