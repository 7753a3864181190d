package io.sluice.history;

import io.sluice.core.history.StepEvent;
import io.sluice.core.spi.Settlement;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Checks the settlements of one count, independent of its use: each id changes the count once, and by no more than the difference between
 * the reserved and the actual cost.
 *
 * <p>An engine forgets a settlement when the time to settle has ended. If its clock steps back over that moment, the same id may be settled
 * again. This is no violation if a step of the count shows the later time, or if time stepped back far: the answer that showed the later
 * time may then have been lost.
 */
final class SettlementCheck {

    private final boolean steady;
    private final Map<String, Settlement> settled = new HashMap<>();
    private long latestMicros = Long.MIN_VALUE;

    /**
     * Creates a check.
     *
     * @param steady true if the engine's time never stepped back far
     */
    SettlementCheck(boolean steady) {
        this.steady = steady;
    }

    /** Notes the time of a step. Call it for each step before any other method. */
    void at(long nowMicros) {
        latestMicros = Math.max(latestMicros, nowMicros);
    }

    /** Notes that the engine may have lost its settlements. */
    void forget() {
        settled.clear();
    }

    /** Returns a sentence about a wrong settlement, or null if the settlement is right. */
    @Nullable
    String check(StepEvent.Settled step) {
        Settlement now = step.settlement();
        Settlement before = settled.put(now.id(), now);
        if (before != null && steady && latestMicros <= before.chargedAtMicros() + before.withinMicros()) {
            return "reservation %s settled with %d, and with %d before (expected: once)"
                    .formatted(now.id(), now.actual(), before.actual());
        }
        long more = now.more();
        long least = Math.min(0, more);
        long most = Math.max(0, more);
        if (step.change() < least || step.change() > most) {
            return "reservation %s of %d settled with %d changed the count by %d (expected: %d..%d)"
                    .formatted(now.id(), now.reserved(), now.actual(), step.change(), least, most);
        }
        return null;
    }

    /** Returns a sentence about a late settlement, or null if the settlement is in time. */
    @Nullable
    String late(StepEvent.Settled step, long nowMicros) {
        Settlement settlement = step.settlement();
        return settlement.isDue(nowMicros)
                ? null
                : "reservation %s settled %d us after its charge (expected: within %d us)"
                        .formatted(
                                settlement.id(), nowMicros - settlement.chargedAtMicros(), settlement.withinMicros());
    }
}
