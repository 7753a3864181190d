package io.sluice.center.series;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A series.
 *
 * @param step how long the time of one point is
 * @param from when the first step begins
 * @param to the end; this moment is not included
 * @param complete whether nothing that nodes told is missing
 * @param points in the order of time; steps without requests have none
 * @param leftOut how many counts this center could not take since it started, because they were too old, of a time to come, or of too
 *     many rules or nodes; null without the right to see the fleet
 * @param rules the sums of each rule, if they were asked for; those with the most refusals first
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
