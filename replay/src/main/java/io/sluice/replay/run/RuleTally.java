package io.sluice.replay.run;

import io.sluice.core.limit.Limit;
import io.sluice.replay.log.LoggedRequest;
import io.sluice.rules.caller.CallerMark;
import io.sluice.rules.caller.CallerMarks;
import io.sluice.rules.changes.LimitWords;
import io.sluice.rules.model.Rule;
import io.sluice.rules.model.RuleUse;
import io.sluice.rules.snapshot.RuleSet;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Counts the results of one rule. A rule that refuses no request takes little memory. Not thread-safe. */
final class RuleTally {

    private static final long SECOND = 1_000_000;
    private static final long MINUTE = 60 * SECOND;
    private static final int SHOWN_CALLERS = 10;

    /** The name of a caller under {@code privacy: hash}. */
    private static final String HIDDEN = "hidden";

    private final Rule rule;
    private final Map<String, LimitTally> limits = new LinkedHashMap<>();
    private final BusiestSpan seconds = new BusiestSpan(SECOND);
    private long matched;
    private long wouldRefuse;
    private @Nullable Refusals refusals;
    private String inexactFrom = "";
    private long inexact;

    /**
     * The number of the request that was counted last. It is compared because a request that several limits of a rule refuse is
     * counted once.
     */
    private long lastRefused;

    private long lastWouldRefuse;
    private long lastInexact;

    private static final class LimitTally {

        private final String amount;
        private long refused;
        private long wouldRefuse;

        LimitTally(Limit limit) {
            this.amount = LimitWords.amount(limit);
        }
    }

    /** The refusals of the rule. Created with the first refusal. */
    private static final class Refusals {

        private final long firstMicros;
        private final BusiestSpan minutes = new BusiestSpan(MINUTE);
        private final Timeline timeline;
        private final CallerSet callers;
        private final FrequentCallers frequent;
        private long count;

        Refusals(long atMicros, long startMicros, TallyRoom room) {
            this.firstMicros = atMicros;
            this.timeline = new Timeline(startMicros);
            this.callers = new CallerSet(room.callers());
            this.frequent = new FrequentCallers(room.frequent());
        }
    }

    RuleTally(Rule rule) {
        this.rule = rule;
        rule.limits().forEach(limit -> limits.put(limit.id(), new LimitTally(limit.limit())));
        rule.candidate().forEach(limit -> limits.put(limit.id(), new LimitTally(limit.limit())));
    }

    void matched(long atMicros) {
        matched++;
        seconds.add(atMicros);
    }

    /**
     * Counts a refusal.
     *
     * @param number the number of the request, from 1
     * @param limit the limit that has no room; null if the rule denies the request
     * @param caller the refused caller, as the limit distinguishes callers
     */
    void refused(
            long number,
            LoggedRequest request,
            @Nullable String limit,
            String caller,
            long startMicros,
            TallyRoom room) {
        LimitTally own = limit == null ? null : limits.get(limit);
        if (own != null) {
            own.refused++;
        }
        if (lastRefused == number) {
            return;
        }
        lastRefused = number;
        Refusals all = refusals;
        if (all == null) {
            all = new Refusals(request.atMicros(), startMicros, room);
            refusals = all;
        }
        all.count++;
        all.minutes.add(request.atMicros());
        all.timeline.add(request.atMicros(), false);
        all.callers.add(CallerSet.hash(caller));
        all.frequent.add(caller, request.attributes(), limit);
    }

    /** Counts a request that a shadow or candidate limit has no room for. */
    void wouldRefuse(long number, String limit) {
        LimitTally own = limits.get(limit);
        if (own != null) {
            own.wouldRefuse++;
        }
        wouldRefuse += lastWouldRefuse == number ? 0 : 1;
        lastWouldRefuse = number;
    }

    /** Counts a decision on a count that several callers share. */
    void inexact(long number, LoggedRequest request) {
        if (inexact == 0) {
            inexactFrom = request.place();
        }
        inexact += lastInexact == number ? 0 : 1;
        lastInexact = number;
    }

    RuleResult result(RuleSet set, CallerMarks marks) {
        List<LimitResult> all = new ArrayList<>();
        limits.forEach((id, limit) -> all.add(new LimitResult(id, limit.amount, limit.refused, limit.wouldRefuse)));
        Refusals own = refusals;
        return new RuleResult(
                rule,
                idle(),
                matched,
                own == null ? 0 : own.count,
                wouldRefuse,
                own == null ? 0 : own.callers.count(),
                own != null && own.callers.isPartial(),
                seconds.busiest(),
                own == null ? 0 : own.firstMicros,
                own == null ? new Moment(0, 0) : own.minutes.busiest(),
                all,
                own == null ? List.of() : top(own, set, marks),
                own == null ? Optional.empty() : Optional.of(own.timeline.series()),
                inexact == 0 ? Optional.empty() : Optional.of(new Inexact(inexactFrom, inexact)));
    }

    private List<CallerResult> top(Refusals own, RuleSet set, CallerMarks marks) {
        return own.frequent.top(SHOWN_CALLERS).stream()
                .map(each -> new CallerResult(
                        marks.caller(set, rule, each.limit, each.request)
                                .map(CallerMark::masked)
                                .map(masked -> masked.isEmpty() ? HIDDEN : masked)
                                .orElse("everybody"),
                        each.count))
                .toList();
    }

    private Optional<String> idle() {
        if (!rule.enabled()) {
            return Optional.of("disabled");
        }
        if (rule.protocol().isPresent()) {
            return Optional.of("for descriptors of Envoy");
        }
        return rule.use() == RuleUse.CODE ? Optional.of("for code") : Optional.empty();
    }
}
