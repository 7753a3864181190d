package io.sluice.replay.advice;

import io.sluice.core.limit.Rate;
import io.sluice.core.spi.Demand;
import io.sluice.replay.log.LoggedRequest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Chooses the rates of all buckets in two passes: among rates that are far from each other, then among rates around the best of these. */
final class RateMeter extends DemandObserver {

    private static final int STEP = 12;

    /** The maximum number of callers of all limits together. A caller takes about 1.5 KB. */
    private static final int MOST_CALLERS = 16_384;

    private static final int FEWEST_CALLERS = 256;

    private final Map<LimitCase, RateSearch> searches = new HashMap<>();
    private final int step;

    private RateMeter(Map<String, LimitCase> cases, int step) {
        super(cases);
        this.step = step;
    }

    /** Returns the meter of the first pass. */
    static RateMeter coarse(Map<String, LimitCase> cases) {
        RateMeter meter = new RateMeter(cases, STEP);
        meter.each(cases, any -> 0, any -> RateGrid.size());
        return meter;
    }

    /** Returns the meter of the second pass. */
    RateMeter fine(Map<String, LimitCase> cases, AdviceGoal goal) {
        RateMeter meter = new RateMeter(cases, 1);
        Map<LimitCase, Integer> middle = new HashMap<>();
        searches.forEach(
                (limit, search) -> middle.put(limit, STEP * search.best(goal, limit.windowMicros(goal.spanMicros()))));
        meter.each(
                cases,
                limit -> Math.max(0, middle.getOrDefault(limit, 0) - STEP),
                limit -> Math.min(RateGrid.size(), middle.getOrDefault(limit, 0) + STEP + 1));
        return meter;
    }

    private interface Position {
        int of(LimitCase limit);
    }

    private void each(Map<String, LimitCase> cases, Position from, Position until) {
        List<LimitCase> buckets = cases.values().stream()
                .filter(each -> each.isAdvised() && each.isBucket())
                .toList();
        int most = Math.max(FEWEST_CALLERS, MOST_CALLERS / Math.max(1, buckets.size()));
        for (LimitCase limit : buckets) {
            List<Rate> rates = new ArrayList<>();
            for (int i = from.of(limit); i < until.of(limit); i += step) {
                rates.add(RateGrid.get(i));
            }
            searches.put(limit, new RateSearch(rates, most));
        }
    }

    @Override
    void demand(LimitCase limit, LoggedRequest request, Demand demand, long used) {
        RateSearch search = searches.get(limit);
        if (search != null) {
            search.add(CallerTable.hash(demand.key(), null), request.atMicros(), demand.permits());
        }
    }

    /** Sets the rate of each bucket. */
    void choose(AdviceGoal goal) {
        searches.forEach((limit, search) -> {
            if (limit.isAdvised()) {
                Rate rate = search.rate(search.best(goal, limit.windowMicros(goal.spanMicros())));
                Rate today = LimitNumbers.rate(limit.own.limit()).orElse(rate);
                limit.rate = Optional.of(RateGrid.inUnitOf(today, rate));
                limit.open = LimitNumbers.open(limit.own.limit(), limit.rate, 0);
            }
        });
    }
}
