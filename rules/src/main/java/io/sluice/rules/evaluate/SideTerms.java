package io.sluice.rules.evaluate;

import io.sluice.core.Limiter;
import io.sluice.core.spi.FailurePolicy;
import io.sluice.rules.model.Handling;
import io.sluice.rules.side.Side;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The settings for asking one side about a group of limits, and those of the sides that are asked after it. Immutable.
 *
 * @param deadline the shortest deadline of the rules that this side decides
 * @param onFailure the strictest failure policy of these rules. This process fails only after it is closed; if other sides are asked too,
 *     their strictest policy applies
 * @param localShare the smallest local share that these rules state; 1 if they state none
 * @param sharedByNodes whether one of these rules states no local share, so that the number of live nodes determines it
 * @param next the settings of the next side; null if this is the last side
 */
record SideTerms(
        Side side,
        Duration deadline,
        FailurePolicy onFailure,
        double localShare,
        boolean sharedByNodes,
        @Nullable SideTerms next) {

    /** Returns the settings of the sides that decide these limits, the cheapest side first; null if there are no limits. */
    static @Nullable SideTerms of(List<BoundLimit> limits) {
        return after(null, limits);
    }

    private static @Nullable SideTerms after(@Nullable Side before, List<BoundLimit> limits) {
        Side side = null;
        for (BoundLimit b : limits) {
            if ((before == null || before.isBefore(b.side()))
                    && (side == null || b.side().isBefore(side))) {
                side = b.side();
            }
        }
        return side == null ? null : of(side, limits, after(side, limits));
    }

    private static SideTerms of(Side side, List<BoundLimit> limits, @Nullable SideTerms next) {
        Duration deadline = null;
        FailurePolicy onFailure = FailurePolicy.OPEN;
        double localShare = 1;
        boolean byNodes = false;
        for (BoundLimit b : limits) {
            if (b.side() == side) {
                Handling handling = b.rule().handling();
                deadline = deadline == null || handling.deadline().compareTo(deadline) < 0
                        ? handling.deadline()
                        : deadline;
                onFailure = stricter(onFailure, handling.onFailure());
                if (side.remote()) {
                    localShare = Math.min(localShare, handling.localShare().orElse(1));
                    byNodes |= handling.localShare().isEmpty();
                }
            }
        }
        return new SideTerms(
                side,
                deadline == null ? Limiter.DEFAULT_DEADLINE : deadline,
                side.remote() || next == null ? onFailure : next.strictest(),
                localShare,
                byNodes,
                next);
    }

    private static FailurePolicy stricter(FailurePolicy a, FailurePolicy b) {
        return a.compareTo(b) >= 0 ? a : b;
    }

    private FailurePolicy strictest() {
        return next == null ? onFailure : stricter(onFailure, next.strictest());
    }

    /** Returns the same settings with {@code on_failure: open}, so that a failing side never makes a group refuse. */
    SideTerms harmless() {
        return new SideTerms(
                side, deadline, FailurePolicy.OPEN, localShare, sharedByNodes, next == null ? null : next.harmless());
    }
}
