package io.sluice.center.series;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A series.
 *
 * @param step the length of one step
 * @param from the start of the first step
 * @param to the end, exclusive
 * @param complete whether all data that nodes reported is included
 * @param points the points in the order of time; steps without requests have none
 * @param leftOut the number of counts that this center could not take since it started, because they were too old, in the future,
 *     or of too many rules or nodes; null without the right to see the fleet
 * @param rules the sums of each rule if requested, most refusals first
 */
public record SeriesReply(
        String step,
        Instant from,
        Instant to,
        boolean complete,
        @Nullable Long leftOut,
        List<SeriesPoint> points,
        List<RuleSum> rules) {

    public SeriesReply {
        points = List.copyOf(points);
        rules = List.copyOf(rules);
    }
}
