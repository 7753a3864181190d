package io.sluice.replay.run;

import java.util.Optional;

/**
 * What one set of rules says about a request. Immutable.
 *
 * @param matched whether any rule applies to the request
 * @param refusal who refuses it; empty if it passes
 */
public record Outcome(boolean matched, Optional<Refusal> refusal) {

    /** Returns whether the request passes. */
    public boolean passes() {
        return refusal.isEmpty();
    }

    /**
     * Who refuses a request. Immutable.
     *
     * @param limit the limit that has no room; empty if the rule denies the request
     * @param caller who is refused, as the limit tells callers apart; the address if it counts all of them together
     * @param counted whether the limit tells callers apart
     */
    public record Refusal(String rule, Optional<String> limit, String caller, boolean counted) {}
}
