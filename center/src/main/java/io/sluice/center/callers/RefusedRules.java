package io.sluice.center.callers;

import io.sluice.center.data.TopQuery;
import io.sluice.runtime.data.DistinctCallers;
import io.sluice.runtime.data.RefusedMinute;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * How often rules refused, those with the highest numbers first.
 *
 * @param refused how often all of them refused, also those that are not listed
 * @param distinct how many callers were refused, about
 * @param dropped how many refusals are missing, because there was no room for their groups
 * @param from the minute since 1970 that it begins with
 * @param until the minute that is not included any more
 */
record RefusedRules(List<Refusing> rules, long refused, long distinct, long dropped, long from, long until) {

    /** A rule, how often it refused, and about how many callers. */
    record Refusing(String rule, long refused, long callers) {}

    /** Sums up files. Not thread-safe. */
    static final class Search {

        private final TopQuery query;
        private final Map<String, Sum> sums = new TreeMap<>();
        private long dropped;

        private static final class Sum {
            private final DistinctCallers distinct = new DistinctCallers();
            private long refused;
        }

        Search(TopQuery query) {
            this.query = query;
        }

        void add(CallerFile file) {
            dropped += file.dropped();
            for (RefusedMinute.Group each : file.content().groups()) {
                if (!each.rule().isEmpty()
                        && (query.rule().isEmpty() || query.rule().get().equals(each.rule()))
                        && query.sees().test(each.rule())) {
                    Sum sum = sums.computeIfAbsent(each.rule(), unused -> new Sum());
                    sum.refused += each.refused();
                    sum.distinct.merge(DistinctCallers.of(each.distinct()));
                }
            }
        }

        RefusedRules found(long from, long until) {
            List<Refusing> all = new ArrayList<>();
            DistinctCallers distinct = new DistinctCallers();
            long refused = 0;
            for (Map.Entry<String, Sum> each : sums.entrySet()) {
                Sum sum = each.getValue();
                all.add(new Refusing(each.getKey(), sum.refused, sum.distinct.estimate()));
                distinct.merge(sum.distinct);
                refused += sum.refused;
            }
            all.sort(Comparator.comparingLong(Refusing::refused).reversed().thenComparing(Refusing::rule));
            return new RefusedRules(
                    List.copyOf(all.subList(0, Math.min(all.size(), query.most()))),
                    refused,
                    distinct.estimate(),
                    dropped,
                    from,
                    until);
        }
    }
}
