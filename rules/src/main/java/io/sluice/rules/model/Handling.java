package io.sluice.rules.model;

import io.sluice.core.Limiter;
import io.sluice.core.spi.FailurePolicy;
import java.time.Duration;
import java.util.OptionalDouble;

/**
 * The settings for deciding a rule's limits. Immutable.
 *
 * @param mode the place where they are decided
 * @param lease the settings for leasing permits in advance; the default unless the mode is {@link Mode#LOCAL_DISTRIBUTED}
 * @param onFailure the policy while the shared store is unavailable
 * @param localShare the share of each limit that one process enforces under {@link FailurePolicy#LOCAL}, more than 0 and at most 1; if
 *     empty, 1 divided by the number of live nodes if it is known, otherwise {@link #DEFAULT_LOCAL_SHARE}
 * @param deadline the maximum time for the shared store, 1 ms to 1 min
 * @param guard the maximum multiple of the limit that one process forwards to the shared store, 1 to {@link #LARGEST_GUARD}; if empty, the
 *     process forwards all requests
 */
public record Handling(
        Mode mode,
        Lease lease,
        FailurePolicy onFailure,
        OptionalDouble localShare,
        Duration deadline,
        OptionalDouble guard) {

    /** The share if neither the rule nor the number of nodes determines it. */
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
