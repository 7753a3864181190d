package io.sluice.center.series;

import io.sluice.center.access.Access;
import io.sluice.center.access.Right;
import io.sluice.center.http.CurrentAccess;
import io.sluice.center.http.Turns;
import io.sluice.center.reach.Visibility;
import io.sluice.center.refusal.RefusedException;
import io.sluice.rules.snapshot.RuleSet;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The API of traffic over time. */
@RestController
public final class SeriesRoutes {

    private static final long LONG_SECONDS = TimeUnit.DAYS.toSeconds(7);

    /** The time that a request waits for a turn, so that a few people who look at the same time do not see an error. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    /** The maximum number of waiting requests for each kind of long work, so that threads remain for all other requests. */
    private static final int MOST_WAITING = 3;

    private static final String ALL = "*";

    /** The maximum number of parallel reads of each kind: sums of all rules and long time spans read a lot of data. */
    private static final int MOST_AT_ONCE = 2;

    private final SeriesSource source;
    private final Turns sums = new Turns(MOST_AT_ONCE, MOST_WAITING, PATIENCE);
    private final Turns longReads = new Turns(MOST_AT_ONCE, MOST_WAITING, PATIENCE);

    SeriesRoutes(SeriesSource source) {
        this.source = source;
    }

    @GetMapping("/api/series")
    SeriesReply series(
            @RequestAttribute(CurrentAccess.ACCESS) Access access,
            @RequestParam(name = "rule", required = false) @Nullable String rule,
            @RequestParam(name = "node", required = false) @Nullable String node,
            @RequestParam(name = "from", required = false) @Nullable String from,
            @RequestParam(name = "to", required = false) @Nullable String to,
            @RequestParam(name = "step", required = false) @Nullable String step,
            @RequestParam(name = "group", required = false) @Nullable String group,
            @RequestParam(name = "limit", required = false) @Nullable Integer limit) {
        SeriesRange range = SeriesRange.of(from, to, step, source.clock().epochMicros() / 1_000_000);
        if (rule != null && node != null) {
            throw RefusedException.invalid(
                    "node: together with rule (expected: one of them; no counts are kept for a rule" + " on a node)");
        }
        if (group != null || ALL.equals(rule)) {
            if (!"rule".equals(group) || !ALL.equals(rule)) {
                throw RefusedException.invalid("group: needs all rules (expected: rule=*&group=rule)");
            }
            return sums(access, range.ofSums(step != null), most(limit));
        }
        return range.until() - range.from() > LONG_SECONDS
                ? longPoints(access, rule, node, range)
                : points(access, rule, node, range);
    }

    /** Returns the points of a long time span. A year of one rule takes some 100 MB for a moment, so few of them are read at a time. */
    private SeriesReply longPoints(Access access, @Nullable String rule, @Nullable String node, SeriesRange range) {
        return longReads.take(
                () -> points(access, rule, node, range),
                () -> RefusedException.conflict(
                        "series: long times are being read for others (expected: try again in some seconds)"));
    }

    private SeriesReply points(Access access, @Nullable String rule, @Nullable String node, SeriesRange range) {
        Series series = source.series();
        List<SeriesPoint> points = new ArrayList<>();
        if (rule != null) {
            if (!new Visibility(access).sees(rule, source.rules().get())) {
                throw RefusedException.missing("rule " + rule + ": unknown");
            }
            series.ofRule(rule, range.step(), range.from(), range.until())
                    .forEach((at, sum) -> points.add(SeriesPoint.ofRule(at, sum)));
        } else {
            if (!access.mayEverywhere(Right.SEE_FLEET)) {
                throw RefusedException.forbidden(
                        "series: of all rules (expected: rule=ID of a rule that you see, or the"
                                + " right to see the fleet)");
            }
            var found = node == null
                    ? series.ofFleet(range.step(), range.from(), range.until())
                    : series.ofNode(node, range.step(), range.from(), range.until());
            found.forEach((at, sum) -> points.add(SeriesPoint.ofTotal(at, sum)));
        }
        return reply(access, range, points, List.of());
    }

    private static int most(@Nullable Integer limit) {
        if (limit != null && limit < 1) {
            throw RefusedException.invalid("limit: " + limit + " (expected: at least 1, such as 100)");
        }
        return limit == null ? Integer.MAX_VALUE : limit;
    }

    private SeriesReply sums(Access access, SeriesRange range, int most) {
        Map<String, RuleTotal> totals = sums.take(
                () -> source.series().sumsByRule(range.step(), range.from(), range.until()),
                () -> RefusedException.conflict("series: sums of all rules are being computed for others (expected: try"
                        + " again in a second)"));
        List<RuleSet> sets = source.rules().get();
        Visibility visibility = new Visibility(access);
        List<RuleSum> rules = totals.entrySet().stream()
                .filter(sum -> visibility.sees(sum.getKey(), sets))
                .map(sum -> RuleSum.of(sum.getKey(), sum.getValue()))
                .sorted(Comparator.comparingLong(RuleSum::refused)
                        .thenComparingLong(RuleSum::allowed)
                        .reversed()
                        .thenComparing(RuleSum::rule))
                .limit(most)
                .toList();
        return reply(access, range, List.of(), rules);
    }

    private SeriesReply reply(Access access, SeriesRange range, List<SeriesPoint> points, List<RuleSum> rules) {
        return new SeriesReply(
                range.step().word(),
                Instant.ofEpochSecond(range.from()),
                Instant.ofEpochSecond(range.until()),
                source.series().isComplete(range.step(), range.from(), range.until()),
                access.mayEverywhere(Right.SEE_FLEET) ? source.series().leftOut() : null,
                points,
                rules);
    }
}
