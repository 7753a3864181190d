package io.sluice.center.callers;

import io.sluice.center.data.RefusedCaller;
import io.sluice.center.data.TopQuery;
import io.sluice.runtime.data.DistinctCallers;
import io.sluice.runtime.data.FrequentCallers;
import io.sluice.runtime.data.RefusedMinute;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The callers with the most refusals.
 *
 * @param refused the number of refusals of all callers, including callers that are not listed
 * @param distinct the approximate number of callers
 * @param dropped the number of refusals that are missing because there was no room for their groups
 * @param from the first minute, counted since 1970
 * @param until the minute after the last one
 */
record TopCallers(List<RefusedCaller> callers, long refused, long distinct, long dropped, long from, long until) {

    /** The number of callers in a search with a single group, which has room for more. */
    private static final int MOST_OF_ONE = 3_072;

    /** Merges files. Not thread-safe. */
    static final class Search {

        private final TopQuery query;
        private final boolean isOverall;
        private final boolean isJoined;
        private final Map<GroupName, CallerGroup> groups = new LinkedHashMap<>();
        private long dropped;

        Search(TopQuery query) {
            this.query = query;
            boolean isByAttribute = query.rule().isEmpty() && query.attributes().isPresent();
            this.isOverall = isByAttribute && query.sees().test("");
            // A reader who sees only some rules gets the callers of these rules, merged.
            this.isJoined = isByAttribute && !isOverall;
        }

        void add(CallerFile file) {
            dropped += file.dropped();
            for (RefusedMinute.Group each : file.content().groups()) {
                if (isWanted(each)) {
                    GroupName name = isJoined ? new GroupName("", "", each.attributes()) : GroupName.of(each);
                    int most = isOverall || isJoined ? MOST_OF_ONE : CallerGroup.MOST_CALLERS;
                    groups.computeIfAbsent(name, unused -> new CallerGroup(most))
                            .merge(each);
                }
            }
        }

        private boolean isWanted(RefusedMinute.Group group) {
            if (query.attributes().isPresent() && !query.attributes().get().equals(group.attributes())) {
                return false;
            }
            if (isOverall) {
                return group.rule().isEmpty();
            }
            return !group.rule().isEmpty()
                    && (query.rule().isEmpty() || query.rule().get().equals(group.rule()))
                    && query.sees().test(group.rule());
        }

        TopCallers found(long from, long until) {
            List<RefusedCaller> all = new ArrayList<>();
            DistinctCallers distinct = new DistinctCallers();
            long refused = 0;
            for (Map.Entry<GroupName, CallerGroup> each : groups.entrySet()) {
                all.addAll(callers(each.getKey(), each.getValue()));
                distinct.merge(each.getValue().distinct());
                refused += each.getValue().refused();
            }
            all.sort(Comparator.comparingLong(RefusedCaller::refused)
                    .reversed()
                    .thenComparing(each -> each.caller().hash())
                    .thenComparing(RefusedCaller::rule)
                    .thenComparing(RefusedCaller::limit));
            return new TopCallers(
                    List.copyOf(all.subList(0, Math.min(all.size(), query.most()))),
                    refused,
                    distinct.estimate(),
                    dropped,
                    from,
                    until);
        }

        private static List<RefusedCaller> callers(GroupName name, CallerGroup group) {
            List<RefusedCaller> all = new ArrayList<>();
            for (FrequentCallers.Frequency each : group.counted()) {
                all.add(new RefusedCaller(
                        name.rule(), name.limit(), name.attributes(), each.caller(), each.most(), each.error()));
            }
            return all;
        }
    }
}
