package io.sluice.rules.evaluate;

import io.sluice.core.Decision;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Verdict;
import io.sluice.rules.model.Action;
import io.sluice.rules.model.Rule;
import io.sluice.rules.side.SideDecisions;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Builds one ruling from the decisions of the sides that were asked. */
final class RulingWriter {

    private RulingWriter() {}

    /** Builds the ruling of a rule that denies or exempts. */
    static Ruling.Settled byRule(MatchedRequest matched, Rule rule, String mode) {
        boolean exempt = rule.action() == Action.EXEMPT;
        return new Ruling.Settled(
                        exempt,
                        rule.action(),
                        rule,
                        null,
                        exempt ? Optional.of(Duration.ZERO) : Optional.empty(),
                        mode,
                        matched.set().version(),
                        matched.ruleIds(),
                        List.of(),
                        matched.permits())
                .at(matched.place());
    }

    /** Builds the refusal of a request that lacks an attribute which a limit counts by. Waiting will not help. */
    static Ruling.Settled lacking(MatchedRequest matched, BoundLimit bound, ShadowDecisions shadows) {
        return new Ruling.Settled(
                        false,
                        Action.LIMIT,
                        bound.rule(),
                        bound.reported(0, Optional.empty()),
                        Optional.empty(),
                        bound.label().mode(),
                        matched.set().version(),
                        matched.ruleIds(),
                        shadows.refused(),
                        matched.permits())
                .at(matched.place());
    }

    /**
     * Builds the ruling of the limits.
     *
     * @param looked whether to subtract the charge that a look would have made from the remaining permits
     */
    static Ruling.Settled byLimits(
            MatchedRequest matched,
            SideDecisions decisions,
            ShadowDecisions shadows,
            String defaultMode,
            boolean looked) {
        Decision deciding = deciding(matched.live(), decisions);
        boolean allowed = decisions.allowed();
        Report report = allowed && looked ? afterwards(matched.live(), decisions) : report(matched.live(), deciding);
        BoundLimit bound = report == null ? null : report.bound();
        Ruling.Reported reported = report == null ? null : report.reported();
        Ruling.Settled ruling = new Ruling.Settled(
                allowed,
                Action.LIMIT,
                bound == null ? null : bound.rule(),
                reported,
                allowed || deciding == null ? reported : slowest(matched.live(), decisions, deciding, reported),
                decisions.retryAfter(),
                decisions.waitFor(),
                bound == null ? defaultMode : bound.label().mode(),
                decisions.degraded(),
                matched.set().version(),
                matched.ruleIds(),
                shadows.refused(),
                matched.permits(),
                decisions,
                allowed ? matched.nonce().permit(decisions, shadows.decisions()) : null,
                matched.place(),
                List.of(),
                false,
                null);
        return CostReports.add(ruling, matched, deciding, looked);
    }

    /** The limit that a ruling reports. */
    private record Report(BoundLimit bound, Ruling.Reported reported) {}

    private static @Nullable Report report(LimitGroup group, @Nullable Decision deciding) {
        BoundLimit bound = deciding == null ? null : group.find(deciding.demand());
        return bound == null || deciding == null
                ? null
                : new Report(bound, bound.reported(deciding.remaining(), deciding.resetAfter()));
    }

    /** Returns the limit that would have the fewest permits left if the look were a request, because limits may charge different costs. */
    private static @Nullable Report afterwards(LimitGroup group, SideDecisions looked) {
        Report least = null;
        for (BoundLimit bound : group.limits()) {
            Ruling.Reported reported = afterwards(bound, looked);
            if (reported != null
                    && (least == null || reported.remaining() < least.reported().remaining())) {
                least = new Report(bound, reported);
            }
        }
        return least;
    }

    private static Ruling.@Nullable Reported afterwards(BoundLimit bound, SideDecisions looked) {
        for (Decision decision : looked) {
            List<Verdict> verdicts = decision.outcome().verdicts();
            for (int i = 0; i < verdicts.size(); i++) {
                Demand demand = decision.ask().demands().get(i);
                if (bound.asks(demand.label(), demand.key())) {
                    return CostReports.reported(bound, verdicts.get(i), bound.permits());
                }
            }
        }
        return null;
    }

    /** Returns the limit that refuses for the longest time; the reported limit if it is one of several. */
    private static Ruling.@Nullable Reported slowest(
            LimitGroup group, SideDecisions decisions, Decision deciding, Ruling.@Nullable Reported reported) {
        Verdict longest = null;
        Demand slowest = deciding.demand();
        for (Decision decision : decisions) {
            List<Verdict> verdicts = decision.outcome().verdicts();
            for (int i = 0; i < verdicts.size(); i++) {
                Verdict verdict = verdicts.get(i);
                Demand own = decision.ask().demands().get(i);
                boolean first = own.equals(deciding.demand());
                if (!verdict.fits() && (longest == null || isLonger(verdict, longest, first))) {
                    longest = verdict;
                    slowest = own;
                }
            }
        }
        BoundLimit bound = group.find(slowest);
        return longest == null || bound == null || Objects.equals(slowest, deciding.demand())
                ? reported
                : bound.reported(longest.remaining(), duration(longest.resetAfterMicros()));
    }

    private static boolean isLonger(Verdict verdict, Verdict other, boolean orAsLong) {
        return orAsLong
                ? verdict.retryAfterMicros() >= other.retryAfterMicros()
                : verdict.retryAfterMicros() > other.retryAfterMicros();
    }

    private static Optional<Duration> duration(long micros) {
        return micros == Verdict.NEVER ? Optional.empty() : Optional.of(Duration.of(micros, ChronoUnit.MICROS));
    }

    /**
     * Returns the decision whose limit is reported. A refusal takes precedence, then the lower number of remaining permits, then report
     * order. Within one decision, the engine has already chosen its limit in the same way.
     */
    private static @Nullable Decision deciding(LimitGroup group, SideDecisions decisions) {
        Decision best = null;
        for (Decision decision : decisions) {
            if (best == null || before(group, decision, best)) {
                best = decision;
            }
        }
        return best;
    }

    private static boolean before(LimitGroup group, Decision a, Decision b) {
        if (a.allowed() != b.allowed()) {
            return b.allowed();
        }
        if (a.allowed() && a.remaining() != b.remaining()) {
            return a.remaining() < b.remaining();
        }
        return position(group, a) < position(group, b);
    }

    private static int position(LimitGroup group, Decision decision) {
        BoundLimit bound = group.find(decision.demand());
        return bound == null ? group.limits().size() : group.limits().indexOf(bound);
    }
}
