package io.sluice.history;

import io.sluice.core.history.StepEvent;
import io.sluice.core.spi.Settlement;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Checks the settlements of one count, whatever it has used: each id changes the count once, and by no more than the figures differ.
 *
 * <p>An engine forgets a settlement when its time is over. If its clock steps back over that moment, the same id may be settled again.
 * This is no violation if a step of the count shows the later time, or if time stepped back far: then nobody may have received the answer
 * that showed it.
 */
final class SettlementCheck {

    private final boolean steady;
    private final Map<String, Settlement> settled = new HashMap<>();
    private long latestMicros = Long.MIN_VALUE;

    /**
     * Creates a check.
     *
     * @param steady whether the engine's time never stepped back far
     */
    SettlementCheck(boolean steady) {
        this.steady = steady;
    }

    /** Called for each step before anything else. */
    void at(long nowMicros) {
        latestMicros = Math.max(latestMicros, nowMicros);
    }

    /** The engine may have lost what it had settled. */
    void forget() {
        settled.clear();
    }

    /** Returns what is wrong with a settlement; null if nothing is. */
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

    /** Returns what is wrong with the time of a settlement; null if nothing is. */
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
