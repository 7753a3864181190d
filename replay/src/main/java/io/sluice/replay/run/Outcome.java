package io.sluice.replay.run;

import java.util.Optional;

/**
 * The decision of one set of rules on a request. Immutable.
 *
 * @param matched whether any rule applies to the request
 * @param refusal the refusal; empty if the request passes
 */
public record Outcome(boolean matched, Optional<Refusal> refusal) {

    /** Returns whether the request passes. */
    public boolean passes() {
        return refusal.isEmpty();
    }

    /**
     * The refusal of a request. Immutable.
     *
     * @param limit the limit that has no room; empty if the rule denies the request
     * @param caller the refused caller, as the limit distinguishes callers; the address if the limit counts all callers
     *     together
     * @param counted whether the limit distinguishes callers
     */
    public record Refusal(String rule, Optional<String> limit, String caller, boolean counted) {}
}
