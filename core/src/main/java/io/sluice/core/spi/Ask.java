package io.sluice.core.spi;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

/**
 * One question to an engine: may these demands pass, all or none? Immutable.
 *
 * @param demands in the order in which refusals are reported; no two may mean the same count
 * @param purpose whether the answer charges
 * @param deadlineNanos on the clock of the limiter; an engine that cannot answer in time need not answer at all, and must
 *     not start charging after it
 * @param onFailure what decides if the engine does not
 * @param localShare the part of each limit that this process enforces under {@link FailurePolicy#LOCAL}
 * @param ruleVersion the rules that were in force; 0 without rules
 * @param id what it is called in a history, see {@link io.sluice.core.history.AskIds}; empty if it has no name yet
 */
public record Ask(
        List<Demand> demands,
        Purpose purpose,
        long deadlineNanos,
        FailurePolicy onFailure,
        double localShare,
        long ruleVersion,
        String id) {

    /** For asks that wait for as long as it takes. */
    public static final long NO_DEADLINE = Long.MAX_VALUE;

    /** The time that an engine has for a decision unless the ask says otherwise. */
    public static final Duration DEFAULT_DEADLINE = Duration.ofMillis(20);

    /** The part of a limit that one of an unknown number of processes enforces alone. */
    public static final double DEFAULT_LOCAL_SHARE = 0.5;

    /** Whether the answer charges. */
    public enum Purpose {
        /** Charge every demand if all fit. */
        CHARGE,
        /** Say what would happen and change nothing. */
        LOOK
    }

    public Ask {
        demands = List.copyOf(demands);
        Objects.requireNonNull(purpose, "purpose");
        Objects.requireNonNull(onFailure, "onFailure");
        Objects.requireNonNull(id, "id");
        if (!(localShare > 0 && localShare <= 1)) {
            throw new IllegalArgumentException("localShare: " + localShare + " (expected: above 0, at most 1)");
        }
        for (int i = 1; i < demands.size(); i++) {
            for (int j = 0; j < i; j++) {
                if (demands.get(i).sharesCountWith(demands.get(j))) {
                    throw new IllegalArgumentException(
                            "demands[" + i + "]: " + demands.get(i).limit()
                                    + " (expected: another name, shape or key than demands[" + j + "] has)");
                }
            }
        }
    }

    /** An ask without a name. */
    public Ask(
            List<Demand> demands,
            Purpose purpose,
            long deadlineNanos,
            FailurePolicy onFailure,
            double localShare,
            long ruleVersion) {
        this(demands, purpose, deadlineNanos, onFailure, localShare, ruleVersion, "");
    }

    /** A charging ask that waits for as long as it takes. */
    public static Ask charging(List<Demand> demands) {
        return new Ask(demands, Purpose.CHARGE, NO_DEADLINE, FailurePolicy.LOCAL, DEFAULT_LOCAL_SHARE, 0);
    }

    /** The same question without the charge. */
    public Ask looking() {
        return new Ask(demands, Purpose.LOOK, deadlineNanos, onFailure, localShare, ruleVersion, id);
    }

    public Ask dueAt(long deadlineNanos) {
        return new Ask(demands, purpose, deadlineNanos, onFailure, localShare, ruleVersion, id);
    }

    public Ask onFailure(FailurePolicy policy, double localShare) {
        return new Ask(demands, purpose, deadlineNanos, policy, localShare, ruleVersion, id);
    }

    /** The same question under this name. */
    public Ask called(String id) {
        return new Ask(demands, purpose, deadlineNanos, onFailure, localShare, ruleVersion, id);
    }

    /** The same question of some of its demands, or of others that stand for them. */
    public Ask of(List<Demand> demands) {
        return new Ask(demands, purpose, deadlineNanos, onFailure, localShare, ruleVersion, id);
    }

    public boolean charges() {
        return purpose == Purpose.CHARGE;
    }
}
