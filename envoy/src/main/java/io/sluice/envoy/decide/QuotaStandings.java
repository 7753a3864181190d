package io.sluice.envoy.decide;

import io.sluice.core.Decision;
import io.sluice.envoy.decide.JointRuling.Standing;
import io.sluice.rules.evaluate.BoundLimit;
import io.sluice.rules.evaluate.LimitGroup;
import io.sluice.rules.evaluate.MatchedRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The quotas of a request. They refuse the request only if all of them are used up. For a single call; not thread-safe.
 */
final class QuotaStandings {

    /** Null as long as there are none. */
    private @Nullable IdentityHashMap<BoundLimit, Standing> standings;

    private final List<Decision> decisions = new ArrayList<>(0);
    private boolean left;

    /** Returns the shadow limits of a part that are quotas, or the others. Where a rule denies or exempts, none is a quota. */
    static List<LimitGroup> groups(MatchedRequest part, boolean quotas) {
        if (part.shadows().isEmpty() || part.verdictOf() != null) {
            return quotas ? List.of() : part.shadows();
        }
        List<LimitGroup> some = new ArrayList<>(part.shadows().size());
        for (LimitGroup group : part.shadows()) {
            if (isQuota(group) == quotas) {
                // Limits in shadow pass if the store fails. Quotas can refuse, so their rule says what happens then.
                some.add(quotas ? LimitGroup.of(group.limits()) : group);
            }
        }
        return some;
    }

    /** The candidates of a rule are tried out; they are no quotas. */
    private static boolean isQuota(LimitGroup group) {
        BoundLimit first = group.limits().get(0);
        return DescriptorMatch.isQuota(first.rule()) && first.rule().limits().contains(first.limit());
    }

    /** Adds a quota and what the engines decided about it. */
    void add(List<BoundLimit> limits, List<Decision> said, Function<BoundLimit, Standing> standing) {
        IdentityHashMap<BoundLimit, Standing> all = standings == null ? new IdentityHashMap<>() : standings;
        standings = all;
        boolean fits = true;
        for (BoundLimit bound : limits) {
            Standing how = standing.apply(bound);
            all.put(bound, how);
            fits &= how.fits();
        }
        left |= fits;
        decisions.addAll(said);
    }

    /** Returns whether there are quotas, and none has anything left. */
    boolean areUsedUp() {
        return standings != null && !left;
    }

    /** Returns the state of a limit; null if it is no quota. */
    @Nullable
    Standing of(BoundLimit bound) {
        return standings == null ? null : standings.get(bound);
    }

    List<Decision> decisions() {
        return decisions;
    }

    /** Returns the time until the first of them has something left; empty if none ever has. */
    Optional<Duration> retryAfter() {
        return decisions.stream()
                .flatMap(decision -> decision.retryAfter().stream())
                .min(Duration::compareTo);
    }
}
