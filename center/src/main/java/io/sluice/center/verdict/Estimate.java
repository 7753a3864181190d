package io.sluice.center.verdict;

import io.sluice.runtime.fleet.Tally;
import java.util.List;

/**
 * The value of a measure in one arm, and the change of this value if one group of callers is left out.
 *
 * <p>Requests of one caller resemble each other, so chance is measured over groups of callers, not over requests. The changes are those of
 * the jackknife. A group with most of the requests makes them large. Its residuals would be small, because such a group determines the
 * value that it is compared with.
 */
final class Estimate {

    private final double value;
    private final double[] changes;
    private final double whole;
    private final int clusters;
    private final double equal;

    private Estimate(double value, double[] changes, double whole, int clusters, double equal) {
        this.value = value;
        this.changes = changes;
        this.whole = whole;
        this.clusters = clusters;
        this.equal = equal;
    }

    static Estimate of(Measure measure, Arm arm) {
        List<Tally> tallies = arm.clusters();
        double part = 0;
        double whole = 0;
        double squares = 0;
        int used = 0;
        for (Tally tally : tallies) {
            double x = measure.whole(tally);
            part += measure.part(tally);
            whole += x;
            squares += x * x;
            used += x > 0 ? 1 : 0;
        }
        double value = whole > 0 ? part / whole : 0;
        double[] changes = new double[tallies.size()];
        for (int i = 0; i < changes.length; i++) {
            double x = measure.whole(tallies.get(i));
            double rest = whole - x;
            changes[i] = x > 0 && rest > 0 ? (part - measure.part(tallies.get(i))) / rest - value : 0;
        }
        return new Estimate(value, changes, whole, used, squares > 0 ? whole * whole / squares : 0);
    }

    /** Returns the sum of parts divided by the sum of wholes. */
    double value() {
        return value;
    }

    /** Returns the number of groups, including empty groups. */
    int size() {
        return changes.length;
    }

    /** Returns the change of the value if a group is left out, zero if the group is empty. */
    double change(int cluster) {
        return changes[cluster];
    }

    /** Returns the sum of wholes. */
    double whole() {
        return whole;
    }

    /** Returns the number of groups that are not empty. */
    int clusters() {
        return clusters;
    }

    /** Returns the number of groups of equal size with the same uncertainty. */
    double equal() {
        return equal;
    }

    /** Returns the factor that makes a sum of squared changes a variance. */
    double scale() {
        return clusters > 1 ? (clusters - 1.0) / clusters : Double.POSITIVE_INFINITY;
    }
}
