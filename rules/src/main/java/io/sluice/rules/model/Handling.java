package io.sluice.rules.model;

import io.sluice.core.Limiter;
import io.sluice.core.spi.FailurePolicy;
import java.time.Duration;
import java.util.OptionalDouble;

/**
 * Where and how a rule's limits are decided. Immutable.
 *
 * @param mode where
 * @param lease how permits are taken in advance; the default unless the mode is {@link Mode#LOCAL_DISTRIBUTED}
 * @param onFailure what decides while the shared store does not
 * @param localShare the part of each limit that one process enforces under {@link FailurePolicy#LOCAL}, above 0 and at most 1;
 *     empty: one part for each live node where their number is known, else {@link #DEFAULT_LOCAL_SHARE}
 * @param deadline how long the shared store may take, 1 ms to 1 min
 * @param guard so many times the limit are let through to the shared store by one process, 1 to {@link #LARGEST_GUARD}; empty:
 *     all are
 */
public record Handling(
        Mode mode,
        Lease lease,
        FailurePolicy onFailure,
        OptionalDouble localShare,
        Duration deadline,
        OptionalDouble guard) {

    /** The share where neither the rule nor the number of nodes gives one. */
    public static final double DEFAULT_LOCAL_SHARE = 0.5;

    public static final Duration LONGEST_DEADLINE = Duration.ofMinutes(1);

    public static final double LARGEST_GUARD = 1_000;

    public static final Handling DEFAULT = new Handling(
            Mode.DISTRIBUTED,
            Lease.DEFAULT,
            FailurePolicy.LOCAL,
            OptionalDouble.empty(),
            Limiter.DEFAULT_DEADLINE,
            OptionalDouble.empty());

    public Handling {
        localShare.ifPresent(share -> RangeCheck.share("local_share", share));
        RangeCheck.span("deadline", deadline, LONGEST_DEADLINE);
        guard.ifPresent(times -> {
            if (!(times >= 1 && times <= LARGEST_GUARD)) {
                throw new IllegalArgumentException("guard: " + times + " (expected: 1..1000)");
            }
        });
        if (mode != Mode.LOCAL_DISTRIBUTED && !lease.equals(Lease.DEFAULT)) {
            throw new IllegalArgumentException("lease: with mode " + mode.word() + " (expected: local_distributed)");
        }
        if (mode == Mode.LOCAL && guard.isPresent()) {
            throw new IllegalArgumentException("guard: with mode local (expected: no guard, there is no store)");
        }
    }
}
