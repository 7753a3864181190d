package io.sluice.replay.advice;

import io.sluice.core.Limiter;
import io.sluice.core.limit.Limit;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.Demand;
import io.sluice.replay.log.LoggedRequest;
import io.sluice.replay.run.LogClock;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Finds the smallest number of each limit that refuses at most a share of the requests. Each pass over the log tries several numbers of
 * each limit, each as a limit of its own in a separate engine, and narrows the range of possible numbers. Not thread-safe.
 */
final class RequestSearch {

    /**
     * The maximum number of passes. The search then takes the smallest number that met the goal. Seven passes find any number below
     * 2,000,000.
     */
    static final int MOST_PASSES = 7;

    private static final int CANDIDATES = 7;

    private final Share share;
    private final long maxKeys;
    private final Map<LimitCase, Range> ranges = new LinkedHashMap<>();
    private boolean shared;

    /** The number is above {@code tooSmall} and at most {@code enough}. */
    private record Range(long tooSmall, long enough) {

        boolean isOpen() {
            return enough - tooSmall > 1;
        }
    }

    RequestSearch(Share share, long maxKeys, Map<String, LimitCase> cases) {
        this.share = share;
        this.maxKeys = maxKeys;
        for (LimitCase limit : cases.values()) {
            if (limit.isAdvised() && !limit.own.limit().kind().holds()) {
                long[] needs = limit.needs.descending();
                ranges.put(limit, new Range(-1, LimitNumbers.number(limit.needed(), needs[0], limit.mostPermits)));
            }
        }
    }

    boolean isOpen() {
        return ranges.values().stream().anyMatch(Range::isOpen);
    }

    /** Returns whether callers shared counts, so that the numbers are not exact. */
    boolean isInexact() {
        return shared;
    }

    /** Returns the number that was found, or null if the limit was not searched. */
    @Nullable
    Long number(LimitCase limit) {
        Range range = ranges.get(limit);
        return range == null ? null : range.enough;
    }

    /** Returns the observer of the next pass. */
    Trial trial(Map<String, LimitCase> cases) {
        return new Trial(cases);
    }

    /** One pass over the log. */
    final class Trial extends DemandObserver {

        private final Map<LimitCase, List<Candidate>> candidates = new LinkedHashMap<>();
        private @Nullable LogClock clock;
        private @Nullable LocalEngine engine;
        private @Nullable Limiter limiter;

        private Trial(Map<String, LimitCase> cases) {
            super(cases);
            ranges.forEach((limit, range) -> {
                List<Candidate> own = new ArrayList<>();
                for (long number : numbers(range)) {
                    String name = "trial." + candidates.size() + "." + own.size();
                    Limit tried = LimitNumbers.with(limit.own.limit(), limit.rate, number);
                    own.add(new Candidate(number, tried.withName(name)));
                }
                candidates.put(limit, own);
            });
        }

        @Override
        void demand(LimitCase limit, LoggedRequest request, Demand demand, long used) {
            List<Candidate> own = candidates.getOrDefault(limit, List.of());
            if (own.isEmpty()) {
                return;
            }
            Limiter asked = limiter(request.atMicros());
            for (Candidate each : own) {
                boolean fits = demand.permits() <= each.limit.capacity()
                        && asked.decide(each.limit, demand.key(), demand.permits())
                                .allowed();
                each.refused += fits ? 0 : 1;
            }
        }

        private Limiter limiter(long atMicros) {
            LogClock time = clock;
            Limiter asked = limiter;
            if (time == null || asked == null) {
                time = new LogClock(atMicros);
                LocalEngine counts =
                        LocalEngine.builder().clock(time).maxKeys(maxKeys).build();
                asked = new Limiter(counts, time, List.of());
                clock = time;
                engine = counts;
                limiter = asked;
            }
            time.moveTo(atMicros);
            return asked;
        }

        /** Narrows the ranges by the results of the pass. */
        void end() {
            shared |= engine != null && engine.overflowed() > 0;
            candidates.forEach((limit, own) -> {
                long most = share.of(limit.requests);
                for (Candidate each : own) {
                    Range range = Objects.requireNonNull(ranges.get(limit));
                    if (each.number <= range.tooSmall || each.number >= range.enough) {
                        continue;
                    }
                    ranges.put(
                            limit,
                            each.refused <= most
                                    ? new Range(range.tooSmall, each.number)
                                    : new Range(each.number, range.enough));
                }
            });
        }
    }

    private static final class Candidate {

        private final long number;
        private final Limit limit;
        private long refused;

        Candidate(long number, Limit limit) {
            this.number = number;
            this.limit = limit;
        }
    }

    /** Returns numbers inside of a range: at even distances if it is narrow, otherwise at even ratios. */
    private static List<Long> numbers(Range range) {
        List<Long> numbers = new ArrayList<>();
        long low = range.tooSmall;
        long width = range.enough - low;
        double ratio = (double) range.enough / Math.max(1, low);
        long before = low;
        for (int i = 1; i <= CANDIDATES; i++) {
            long even = low + Math.max(i, width * i / (CANDIDATES + 1));
            long number = ratio > 2 * CANDIDATES
                    ? Math.max(before + 1, (long) (Math.max(1, low) * Math.pow(ratio, i / (CANDIDATES + 1.0))))
                    : even;
            if (number > before && number < range.enough) {
                numbers.add(number);
                before = number;
            }
        }
        return numbers;
    }
}
