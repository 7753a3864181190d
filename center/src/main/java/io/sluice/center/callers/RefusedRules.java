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
 * The refusals of rules, highest numbers first.
 *
 * @param refused the number of refusals by all rules, including rules that are not listed
 * @param distinct the approximate number of refused callers
 * @param dropped the number of refusals that are missing because there was no room for their groups
 * @param from the first minute, counted since 1970
 * @param until the minute after the last one
 */
record RefusedRules(List<Refusing> rules, long refused, long distinct, long dropped, long from, long until) {

    /** A rule, the number of its refusals, and the approximate number of callers that it refused. */
    record Refusing(String rule, long refused, long callers) {}

    /** Adds up files. Not thread-safe. */
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
