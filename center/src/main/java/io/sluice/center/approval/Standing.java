package io.sluice.center.approval;

import java.util.List;
import java.util.Optional;

/**
 * The approvals that a change needs and the approvals that it has. Immutable.
 *
 * @param needed how many different people have to approve; 0 if no approval is needed
 * @param why the reasons why approval is needed
 * @param given all approvals, oldest first, including the ones that no longer hold
 */
public record Standing(long needed, List<Protection.Reason> why, List<Given> given) {

    /** The standing of a change that needs no approval. */
    public static final Standing FREE = new Standing(0, List.of(), List.of());

    public Standing {
        why = List.copyOf(why);
        given = List.copyOf(given);
    }

    /**
     * An approval.
     *
     * @param at the time in milliseconds since the epoch
     * @param expiresAt the time of expiry in milliseconds since the epoch
     * @param voidBecause the reason why the approval no longer holds; empty if it holds
     */
    public record Given(
            String by,
            String identity,
            long account,
            String comment,
            long at,
            long expiresAt,
            Optional<String> voidBecause) {

        public boolean holds() {
            return voidBecause.isEmpty();
        }
    }

    public boolean isRequired() {
        return needed > 0;
    }

    /** Returns how many different people have approved. */
    public long holding() {
        return given.stream()
                .filter(Given::holds)
                .map(Given::identity)
                .distinct()
                .count();
    }

    /** Returns whether enough people have approved. */
    public boolean isSatisfied() {
        return holding() >= needed;
    }
}
