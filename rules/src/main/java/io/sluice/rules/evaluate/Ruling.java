package io.sluice.rules.evaluate;

import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Label;
import io.sluice.rules.model.Action;
import io.sluice.rules.model.Level;
import io.sluice.rules.model.Rule;
import io.sluice.rules.reserve.Reservation;
import io.sluice.rules.side.SideDecisions;
import io.sluice.rules.snapshot.CallerPlace;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The result of applying the rules in force to a request. Immutable. */
public sealed interface Ruling {

    /**
     * A ruling that allows or refuses the request.
     *
     * @param allowed whether the request may pass; for a {@linkplain #looked() look}, whether one permit would pass
     * @param action the action that decided: limits, or a rule that denies or exempts
     * @param rule the rule that denied or exempted, or whose limit is reported; null if there is none
     * @param reported the limit that decided; null if no limit did
     * @param slowest the refusing limit that determines {@code retryAfter}; the reported limit unless another limit refuses for longer
     * @param retryAfter the time until all refusing limits would let a lone caller pass; zero if allowed, empty if they never would
     * @param waitFor the time that an allowed caller must wait for its time slot; zero if it may proceed now
     * @param mode the mode of the decision, as answers spell it
     * @param degraded the reason why the shared store did not decide; null if it did or was not needed
     * @param ruleVersion the version of the rules that were in force
     * @param matched the ids of the matching rules, in document order
     * @param shadowRefused the shadow and candidate limits that would have refused
     * @param permits the permits that were requested; with 0, the request only looked
     * @param decisions the decisions of the sides that were asked
     * @param permit the concurrency permits that the caller holds, including those of shadow limits; null if none
     * @param place the place of the caller in a trial; null if there is no trial, or the caller cannot be in it
     * @param costs the limits with a cost of their own, described like {@code reported}
     * @param keptForOthers whether the reported limit refuses only because a part of it is kept for other requests
     * @param reservation the reservation to settle once the real cost is known; null if there is none
     */
    record Settled(
            boolean allowed,
            Action action,
            @Nullable Rule rule,
            @Nullable Reported reported,
            @Nullable Reported slowest,
            Optional<Duration> retryAfter,
            Duration waitFor,
            String mode,
            @Nullable String degraded,
            long ruleVersion,
            List<String> matched,
            List<Label> shadowRefused,
            long permits,
            SideDecisions decisions,
            @Nullable Permit permit,
            @Nullable CallerPlace place,
            List<Reported> costs,
            boolean keptForOthers,
            @Nullable Reservation reservation)
            implements Ruling {

        public Settled {
            matched = List.copyOf(matched);
            shadowRefused = List.copyOf(shadowRefused);
            costs = List.copyOf(costs);
        }

        /** Creates a ruling without an engine, for a caller in no trial. */
        public Settled(
                boolean allowed,
                Action action,
                @Nullable Rule rule,
                @Nullable Reported reported,
                Optional<Duration> retryAfter,
                String mode,
                long ruleVersion,
                List<String> matched,
                List<Label> shadowRefused,
                long permits) {
            this(
                    allowed,
                    action,
                    rule,
                    reported,
                    reported,
                    retryAfter,
                    Duration.ZERO,
                    mode,
                    null,
                    ruleVersion,
                    matched,
                    shadowRefused,
                    permits,
                    SideDecisions.NONE,
                    null,
                    null,
                    List.of(),
                    false,
                    null);
        }

        /** Returns the same ruling of a caller in a trial. */
        public Settled at(@Nullable CallerPlace place) {
            return place == null ? this : with(waitFor, place, costs, keptForOthers, reservation);
        }

        /** Returns the same ruling with the reports of its limits with a cost. */
        public Settled with(List<Reported> costs, boolean keptForOthers, @Nullable Reservation reservation) {
            return with(waitFor, place, costs, keptForOthers, reservation);
        }

        private Settled with(
                Duration waitFor,
                @Nullable CallerPlace place,
                List<Reported> costs,
                boolean keptForOthers,
                @Nullable Reservation reservation) {
            return new Settled(
                    allowed,
                    action,
                    rule,
                    reported,
                    slowest,
                    retryAfter,
                    waitFor,
                    mode,
                    degraded,
                    ruleVersion,
                    matched,
                    shadowRefused,
                    permits,
                    decisions,
                    permit,
                    place,
                    costs,
                    keptForOthers,
                    reservation);
        }

        /** Returns the ruling with usage that was charged after it. It reports a charged limit if no other limit decided. */
        public Settled with(List<UsedLimit> used) {
            return UsageCharges.add(this, used);
        }

        /** Returns the same ruling with usage that was charged. The limit of {@code least} is reported if no other limit is. */
        Settled withUsage(@Nullable UsedLimit least, List<Reported> costs, @Nullable String degraded) {
            UsedLimit shown = reported == null && action == Action.LIMIT ? least : null;
            return new Settled(
                    allowed,
                    action,
                    shown == null ? rule : shown.bound().rule(),
                    shown == null ? reported : shown.reported(),
                    shown == null ? slowest : shown.reported(),
                    retryAfter,
                    waitFor,
                    shown == null ? mode : shown.bound().label().mode(),
                    degraded,
                    ruleVersion,
                    matched,
                    shadowRefused,
                    permits,
                    decisions,
                    permit,
                    place,
                    costs,
                    keptForOthers,
                    reservation);
        }

        /** Returns the same ruling after the caller has waited. */
        Settled withoutWait() {
            return waitFor.isZero() ? this : with(Duration.ZERO, place, costs, keptForOthers, reservation);
        }

        /** Returns whether the request only looked, without a charge. */
        public boolean looked() {
            return permits == 0;
        }
    }

    /**
     * The request asks for more permits than a matching limit can ever hold. No permits were charged.
     *
     * @param limit the limit's name in reports
     * @param capacity the maximum number of permits that it can hold, at least 1
     */
    record Impossible(String rule, String limit, long permits, long capacity) implements Ruling {}

    /**
     * The limit that a ruling reports.
     *
     * @param id the id: {@code <rule>.<id or index>}
     * @param level the scope of the limit
     * @param by the attributes that distinguish callers
     * @param remaining the permits left after the decision
     * @param resetAfter the time until the limit is as if unused; empty if waiting does not achieve this
     */
    record Reported(
            String rule,
            String id,
            Level level,
            Limit limit,
            List<String> by,
            long remaining,
            Optional<Duration> resetAfter) {

        public Reported {
            by = List.copyOf(by);
        }
    }
}
