package io.sluice.envoy.decide;

import io.sluice.envoy.decide.JointRuling.Standing;
import io.sluice.rules.evaluate.BoundLimit;
import io.sluice.rules.evaluate.LimitGroup;
import io.sluice.rules.evaluate.MatchedRequest;
import io.sluice.rules.side.SideDecisions;
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

    /** The states of the quotas. Null while there are none. */
    private @Nullable IdentityHashMap<BoundLimit, Standing> standings;

    private SideDecisions decisions = SideDecisions.NONE;
    private boolean left;

    /**
     * Returns the shadow limits of a part that are quotas, or all other shadow limits. If a rule denies or exempts, no limit is
     * a quota.
     */
    static List<LimitGroup> groups(MatchedRequest part, boolean quotas) {
        if (part.shadows().isEmpty() || part.verdictOf() != null) {
            return quotas ? List.of() : part.shadows();
        }
        List<LimitGroup> some = new ArrayList<>(part.shadows().size());
        for (LimitGroup group : part.shadows()) {
            if (isQuota(group) == quotas) {
                // If the store fails, shadow limits let the request pass. Quotas can refuse, so the policy of their
                // rule applies.
                some.add(quotas ? LimitGroup.of(group.limits()) : group);
            }
        }
        return some;
    }

    /** Returns whether a group is a quota. The candidates of a rule are on trial and are not quotas. */
    private static boolean isQuota(LimitGroup group) {
        BoundLimit first = group.limits().get(0);
        return DescriptorMatch.isQuota(first.rule()) && first.rule().limits().contains(first.limit());
    }

    /** Adds a quota and the decisions of the engines about it. */
    void add(List<BoundLimit> limits, SideDecisions said, Function<BoundLimit, Standing> standing) {
        IdentityHashMap<BoundLimit, Standing> all = standings == null ? new IdentityHashMap<>() : standings;
        standings = all;
        boolean fits = true;
        for (BoundLimit bound : limits) {
            Standing how = standing.apply(bound);
            all.put(bound, how);
            fits &= how.fits();
        }
        left |= fits;
        decisions = decisions.and(said);
    }

    /** Returns whether there are quotas and all of them are used up. */
    boolean areUsedUp() {
        return standings != null && !left;
    }

    /** Returns the state of a limit, or null if it is not a quota. */
    @Nullable
    Standing of(BoundLimit bound) {
        return standings == null ? null : standings.get(bound);
    }

    SideDecisions decisions() {
        return decisions;
    }

    /** Returns the time until the first quota has permits again; empty if no quota ever has. */
    Optional<Duration> retryAfter() {
        return decisions.all().stream()
                .flatMap(decision -> decision.retryAfter().stream())
                .min(Duration::compareTo);
    }
}
