package io.sluice.center.verdict;

import io.sluice.runtime.fleet.Tally;
import java.util.List;
import java.util.stream.IntStream;

/**
 * One side of a trial: the callers with the version on trial, or the callers with the version in force.
 *
 * @param clusters a tally for each group of callers, or for each node. Groups without a request count as well, because they show how the
 *     callers are spread.
 */
public record Arm(List<Tally> clusters) {

    public Arm {
        clusters = List.copyOf(clusters);
    }

    /** Returns an arm with the given number of groups and no request. */
    public static Arm none(int clusters) {
        return new Arm(IntStream.range(0, clusters).mapToObj(i -> Tally.NONE).toList());
    }

    public Tally total() {
        return clusters.stream().reduce(Tally.NONE, Tally::plus);
    }

    /** Adds the counts of another arm, group by group. */
    public Arm plus(Arm other) {
        return new Arm(IntStream.range(0, clusters.size())
                .mapToObj(i -> clusters.get(i).plus(other.clusters.get(i)))
                .toList());
    }

    /** Returns the counts since an earlier report, group by group. */
    public Arm minus(Arm earlier) {
        return new Arm(IntStream.range(0, clusters.size())
                .mapToObj(i -> clusters.get(i).minus(earlier.clusters.get(i)))
                .toList());
    }

    /** Returns whether the groups are the same, and no number is lower than in an earlier report. */
    public boolean continues(Arm earlier) {
        return clusters.size() == earlier.clusters.size()
                && IntStream.range(0, clusters.size())
                        .allMatch(i -> clusters.get(i).continues(earlier.clusters.get(i)));
    }
}
