package io.sluice.core.local;

import io.sluice.core.limit.Limit;
import java.util.Objects;

/**
 * All counts of limits with one name and shape. Compared by identity; the engine creates one instance for each name and shape.
 */
final class CountSeries {

    final String name;
    final String shape;
    private final int hash;

    CountSeries(String name, String shape) {
        this.name = name;
        this.shape = shape;
        this.hash = Objects.hash(name, shape);
    }

    /** Spreads the hash over all bits, because tables use the lowest bits and segments the highest. */
    int hash(String key) {
        int mixed = (hash * 31 + key.hashCode()) * 0x9E3779B9;
        return mixed ^ (mixed >>> 15);
    }

    /** Defines the order in which the locks of two cells are taken. */
    static int compare(Cell one, Cell other) {
        int order = Integer.compare(one.series.hash(one.key), other.series.hash(other.key));
        if (order == 0) {
            order = one.key.compareTo(other.key);
        }
        if (order == 0) {
            order = one.series.name.compareTo(other.series.name);
        }
        return order != 0 ? order : one.series.shape.compareTo(other.series.shape);
    }

    /** Identifies a series. */
    record Id(String name, String shape) {

        static Id of(Limit limit) {
            return new Id(limit.name(), limit.shape());
        }
    }
}
