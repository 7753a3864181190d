package io.sluice.replay.imports.peers;

import static org.assertj.core.api.Assertions.assertThat;

import com.alibaba.csp.sentinel.EntryType;
import com.alibaba.csp.sentinel.slotchain.StringResourceWrapper;
import com.alibaba.csp.sentinel.slots.block.flow.param.ParamFlowChecker;
import com.alibaba.csp.sentinel.slots.block.flow.param.ParamFlowRule;
import com.alibaba.csp.sentinel.slots.block.flow.param.ParameterMetricStorage;
import com.alibaba.csp.sentinel.util.TimeUtil;
import io.sluice.replay.imports.ImportKind;
import io.sluice.testkit.SeededRandom;
import org.junit.jupiter.api.Test;

/**
 * The imported rule beside Sentinel's check of hot parameters. Sentinel reads its own clock, so the test reads that clock before and
 * after each call.
 */
class HotParameterPeerTest {

    private static final int COUNT = 20;
    private static final int BURST = 10;
    private static final int REQUESTS = 1_000;
    private static final long RUN_MILLIS = 3_500;

    @Test
    void differsByNoMoreThanTheWarningSays() {
        SeededRandom random = SeededRandom.of("HotParameterPeerTest");
        ParamFlowRule rule =
                new ParamFlowRule("getUser").setParamIdx(0).setCount(COUNT).setDurationInSec(1);
        rule.setBurstCount(BURST);
        StringResourceWrapper resource = new StringResourceWrapper("getUser", EntryType.IN);
        ParameterMetricStorage.initParamMetricsFor(resource, rule);
        long begin = TimeUtil.currentTimeMillis();
        ImportedLimit imported = new ImportedLimit(
                ImportKind.SENTINEL,
                "param.json",
                "[{\"resource\": \"getUser\", \"paramIdx\": 0, \"count\": " + COUNT + ", \"burstCount\": " + BURST
                        + "}]",
                begin * 1_000);
        long originals = 0;
        long importeds = 0;
        long slowest = 0;
        int spells = 1;
        long due = begin;
        long before = begin;
        long refused = begin;
        for (int i = 0; i < REQUESTS; i++) {
            due += random.nextInt(4) == 0 ? random.nextInt((int) (8 * RUN_MILLIS / REQUESTS)) : 0;
            long last = before;
            before = TimeUtil.currentTimeMillis();
            while (before < due) {
                Thread.onSpinWait();
                before = TimeUtil.currentTimeMillis();
            }
            originals += ParamFlowChecker.passCheck(resource, rule, 1, "u-17") ? 1 : 0;
            slowest = Math.max(slowest, TimeUtil.currentTimeMillis() - before);
            boolean passed = imported.allows("u-17", before * 1_000);
            importeds += passed ? 1 : 0;
            // A machine that stands still or is slow lets the count fill again, and then the difference may begin anew.
            spells += before - last > 500 || (!passed && before - refused > 1_000) ? 1 : 0;
            refused = passed ? refused : before;
        }
        long fills = 1 + (TimeUtil.currentTimeMillis() - begin) / 1_000;
        long late = 2 + COUNT * (slowest + 2) / 1_000;
        assertThat(importeds - originals).isLessThanOrEqualTo(spells * (COUNT + fills + late));
        assertThat(originals - importeds).isLessThanOrEqualTo(spells * late);
    }
}
