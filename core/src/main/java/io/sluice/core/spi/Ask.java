package io.sluice.core.spi;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

/**
 * A request to an engine to let demands pass, all or none. Immutable.
 *
 * @param demands the demands, in the order in which refusals are reported; no two may refer to the same count
 * @param purpose whether the answer charges
 * @param deadlineNanos the deadline, on the limiter's clock. An engine that cannot answer in time need not answer at all, and
 *     must not start to charge after it
 * @param onFailure the policy that decides if the engine does not
 * @param localShare the share of each limit that this process enforces under {@link FailurePolicy#LOCAL}
 * @param ruleVersion the version of the rules in force; 0 without rules
 * @param trace the name of this ask in a history, see {@link io.sluice.core.history.AskTraces}; empty if it has none yet
 */
public record Ask(
        List<Demand> demands,
        Purpose purpose,
        long deadlineNanos,
        FailurePolicy onFailure,
        double localShare,
        long ruleVersion,
        String trace) {

    /** The deadline of an ask that waits without a time limit. */
    public static final long NO_DEADLINE = Long.MAX_VALUE;

    /** The time that an engine has for a decision, unless the ask has another deadline. */
    public static final Duration DEFAULT_DEADLINE = Duration.ofMillis(20);

    /** The share of a limit that each of an unknown number of processes enforces by itself. */
    public static final double DEFAULT_LOCAL_SHARE = 0.5;

    /** The purpose of an ask. */
    public enum Purpose {
        /** Charge every demand if all fit. */
        CHARGE,
        /** Return the decision without a charge. */
        LOOK
    }

    public Ask {
        demands = List.copyOf(demands);
        Objects.requireNonNull(purpose, "purpose");
        Objects.requireNonNull(onFailure, "onFailure");
        Objects.requireNonNull(trace, "trace");
        if (!(localShare > 0 && localShare <= 1)) {
            throw new IllegalArgumentException("localShare: " + localShare + " (expected: above 0, at most 1)");
        }
        for (int i = 1; i < demands.size(); i++) {
            for (int j = 0; j < i; j++) {
                if (demands.get(i).sharesCountWith(demands.get(j))) {
                    throw new IllegalArgumentException(
                            "demands[" + i + "]: " + demands.get(i).limit()
                                    + " (expected: a name, shape or key that differs from demands[" + j + "])");
                }
            }
        }
    }

    /** Creates an ask without a trace. */
    public Ask(
            List<Demand> demands,
            Purpose purpose,
            long deadlineNanos,
            FailurePolicy onFailure,
            double localShare,
            long ruleVersion) {
        this(demands, purpose, deadlineNanos, onFailure, localShare, ruleVersion, "");
    }

    /** Creates an ask that charges and waits without a time limit. */
    public static Ask charging(List<Demand> demands) {
        return new Ask(demands, Purpose.CHARGE, NO_DEADLINE, FailurePolicy.LOCAL, DEFAULT_LOCAL_SHARE, 0);
    }

    /** Returns this ask with the purpose {@link Purpose#LOOK}. */
    public Ask looking() {
        return new Ask(demands, Purpose.LOOK, deadlineNanos, onFailure, localShare, ruleVersion, trace);
    }

    public Ask dueAt(long deadlineNanos) {
        return new Ask(demands, purpose, deadlineNanos, onFailure, localShare, ruleVersion, trace);
    }

    public Ask onFailure(FailurePolicy policy, double localShare) {
        return new Ask(demands, purpose, deadlineNanos, policy, localShare, ruleVersion, trace);
    }

    /** Returns this ask with the name that a history gives it. */
    public Ask tracedBy(String trace) {
        return new Ask(demands, purpose, deadlineNanos, onFailure, localShare, ruleVersion, trace);
    }

    /** Returns this ask with other demands: some of its own demands, or demands that replace them. */
    public Ask of(List<Demand> demands) {
        return new Ask(demands, purpose, deadlineNanos, onFailure, localShare, ruleVersion, trace);
    }

    public boolean charges() {
        return purpose == Purpose.CHARGE;
    }
}
