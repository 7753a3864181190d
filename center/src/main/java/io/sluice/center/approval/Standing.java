package io.sluice.center.approval;

import java.util.List;
import java.util.Optional;

/**
 * Which approvals a change needs and has. Immutable.
 *
 * @param needed how many different persons have to approve; 0 if nobody has to
 * @param why what needs their approval
 * @param given oldest first, with those that no longer hold
 */
public record Standing(long needed, List<Protection.Reason> why, List<Given> given) {

    /** Nobody has to approve. */
    public static final Standing FREE = new Standing(0, List.of(), List.of());

    public Standing {
        why = List.copyOf(why);
        given = List.copyOf(given);
    }

    /**
     * An approval.
     *
     * @param at milliseconds since the epoch
     * @param expiresAt milliseconds since the epoch
     * @param voidBecause why it no longer holds; empty if it does
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

    /** Returns how many different persons have approved. */
    public long holding() {
        return given.stream()
                .filter(Given::holds)
                .map(Given::identity)
                .distinct()
                .count();
    }

    /** Returns whether enough persons have approved. */
    public boolean isSatisfied() {
        return holding() >= needed;
    }
}
