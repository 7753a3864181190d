package io.sluice.rules;

import io.sluice.core.Decision;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Makes one ruling of what one or two engines said. */
final class Reports {

    private Reports() {}

    /** What a rule that denies or exempts says. */
    static Ruling.Settled byRule(Applied applied, Rule rule, String mode) {
        boolean exempt = rule.action() == Action.EXEMPT;
        return new Ruling.Settled(
                exempt,
                rule.action(),
                rule,
                null,
                exempt ? Optional.of(Duration.ZERO) : Optional.empty(),
                Duration.ZERO,
                mode,
                null,
                applied.set().version(),
                applied.matched(),
                List.of(),
                applied.permits(),
                List.of(),
                null);
    }

    /** What a limit says of a request that does not have what it counts by: waiting will not help. */
    static Ruling.Settled lacking(Applied applied, Bound bound, Shadows shadows) {
        return new Ruling.Settled(
                false,
                Action.LIMIT,
                bound.rule(),
                bound.reported(0, Optional.empty()),
                Optional.empty(),
                Duration.ZERO,
                bound.label().mode(),
                null,
                applied.set().version(),
                applied.matched(),
                shadows.refused(),
                applied.permits(),
                List.of(),
                null);
    }

    /**
     * What the limits say.
     *
     * @param less how much less remains than the decisions say: what a look would have charged
     */
    static Ruling.Settled byLimits(
            Applied applied, List<Decision> decisions, Shadows shadows, String defaultMode, long less) {
        Decision deciding = deciding(applied.live(), decisions);
        Bound bound = deciding == null ? null : applied.live().find(deciding.label());
        boolean allowed = allAllow(decisions);
        return new Ruling.Settled(
                allowed,
                Action.LIMIT,
                bound == null ? null : bound.rule(),
                bound == null || deciding == null
                        ? null
                        : bound.reported(
                                allowed ? Math.max(0, deciding.remaining() - less) : deciding.remaining(),
                                deciding.resetAfter()),
                retryAfter(decisions),
                waitFor(decisions),
                bound == null ? defaultMode : bound.label().mode(),
                degraded(decisions),
                applied.set().version(),
                applied.matched(),
                shadows.refused(),
                applied.permits(),
                decisions,
                allowed ? applied.nonce().permit(decisions, shadows.decisions()) : null);
    }

    /** Each decision reports its own limit by the same order; of two, a refusal wins, then the lower remaining, then the order. */
    private static @Nullable Decision deciding(Group group, List<Decision> decisions) {
        Decision best = null;
        for (Decision decision : decisions) {
            if (best == null || before(group, decision, best)) {
                best = decision;
            }
        }
        return best;
    }

    private static boolean before(Group group, Decision a, Decision b) {
        if (a.allowed() != b.allowed()) {
            return b.allowed();
        }
        if (a.allowed() && a.remaining() != b.remaining()) {
            return a.remaining() < b.remaining();
        }
        return position(group, a) < position(group, b);
    }

    private static int position(Group group, Decision decision) {
        Bound bound = group.find(decision.label());
        return bound == null ? group.bound().size() : group.bound().indexOf(bound);
    }

    /** The longest; never, if one of them is never. */
    static Optional<Duration> retryAfter(List<Decision> decisions) {
        Duration longest = Duration.ZERO;
        for (Decision decision : decisions) {
            Optional<Duration> retry = decision.retryAfter();
            if (retry.isEmpty()) {
                return retry;
            }
            longest = longer(longest, retry.get());
        }
        return Optional.of(longest);
    }

    static boolean allAllow(List<Decision> decisions) {
        for (Decision decision : decisions) {
            if (!decision.allowed()) {
                return false;
            }
        }
        return true;
    }

    private static Duration longer(Duration a, Duration b) {
        return a.compareTo(b) >= 0 ? a : b;
    }

    /** The longest. */
    static Duration waitFor(List<Decision> decisions) {
        Duration longest = Duration.ZERO;
        for (Decision decision : decisions) {
            longest = longer(longest, decision.waitFor());
        }
        return longest;
    }

    static @Nullable String degraded(List<Decision> decisions) {
        for (Decision decision : decisions) {
            if (decision.degraded() != null) {
                return decision.degraded();
            }
        }
        return null;
    }
}
