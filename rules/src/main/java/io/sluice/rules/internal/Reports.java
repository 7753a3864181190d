package io.sluice.rules.internal;

import io.sluice.core.Decision;
import io.sluice.core.spi.Label;
import io.sluice.rules.By;
import io.sluice.rules.Ruling;
import io.sluice.rules.internal.Applied.Bound;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Makes one ruling of what one or two engines said. */
public final class Reports {

    private Reports() {}

    public static Ruling.Settled ruling(Applied applied, List<Decision> decisions) {
        Decision deciding = deciding(applied, decisions);
        Label label = deciding == null ? null : deciding.label();
        return new Ruling.Settled(
                decisions.stream().allMatch(Decision::allowed),
                deciding == null || label == null ? null : reported(applied, deciding, label),
                retryAfter(decisions),
                decisions.stream().map(Decision::waitFor).reduce(Duration.ZERO, Reports::longer),
                label == null ? applied.defaultMode() : label.mode(),
                degraded(decisions),
                applied.version(),
                applied.matched(),
                List.of(),
                applied.permits(),
                decisions);
    }

    /** Each decision reports its own limit by the same order; of two, a refusal wins, then the lower remaining, then the order. */
    private static @Nullable Decision deciding(Applied applied, List<Decision> decisions) {
        Decision best = null;
        for (Decision decision : decisions) {
            if (best == null || before(applied, decision, best)) {
                best = decision;
            }
        }
        return best;
    }

    private static boolean before(Applied applied, Decision a, Decision b) {
        if (a.allowed() != b.allowed()) {
            return b.allowed();
        }
        if (a.allowed() && a.remaining() != b.remaining()) {
            return a.remaining() < b.remaining();
        }
        return position(applied, a.label()) < position(applied, b.label());
    }

    private static int position(Applied applied, @Nullable Label label) {
        for (int i = 0; i < applied.bound().size(); i++) {
            if (applied.bound().get(i).demand().label().equals(label)) {
                return i;
            }
        }
        return applied.bound().size();
    }

    private static Ruling.Reported reported(Applied applied, Decision decision, Label label) {
        Bound bound = applied.bound().get(position(applied, label));
        return new Ruling.Reported(
                label.rule(),
                label.limit(),
                bound.limit().limit(),
                bound.limit().by().stream().map(By::attribute).toList(),
                decision.remaining(),
                decision.resetAfter());
    }

    /** The longest; never, if one of them is never. */
    private static Optional<Duration> retryAfter(List<Decision> decisions) {
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

    private static Duration longer(Duration a, Duration b) {
        return a.compareTo(b) >= 0 ? a : b;
    }

    private static @Nullable String degraded(List<Decision> decisions) {
        for (Decision decision : decisions) {
            if (decision.degraded() != null) {
                return decision.degraded();
            }
        }
        return null;
    }
}
