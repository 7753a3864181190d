package io.sluice.rules.yaml;

/**
 * How large a tree may become, so that nobody exhausts stack or memory with a document: 50 levels, ten thousand keys
 * in a mapping, three million values in all, and half a million more by way of aliases. Those are shared and not copied, but whoever walks through the tree meets them
 * each time.
 */
final class Bounds {

    private static final int DEEPEST = 50;
    private static final int MOST_KEYS = 10_000;
    private static final int MOST_VALUES = 3_000_000;
    private static final int MOST_REPEATED = 500_000;

    private int depth;
    private int values;
    private long repeated;

    void enter(Place place) {
        if (++depth > DEEPEST) {
            throw Refusal.outOfBounds(
                    place, "nesting: deeper than " + DEEPEST + " (expected: at most " + DEEPEST + ")");
        }
    }

    void leave() {
        depth--;
    }

    void value(Place place) {
        if (++values > MOST_VALUES) {
            throw Refusal.outOfBounds(place, "values: more than " + MOST_VALUES + " (expected: several documents)");
        }
    }

    /** A mapping has so many keys, and another. */
    void key(int keys, Place place) {
        if (keys >= MOST_KEYS) {
            throw Refusal.outOfBounds(place, "keys: more than " + MOST_KEYS + " (expected: fewer in one mapping)");
        }
    }

    /** An alias stands for so many values. */
    void repeat(long size, Place place) {
        repeated += size;
        if (repeated > MOST_REPEATED) {
            throw Refusal.outOfBounds(
                    place, "aliases: stand for more than " + MOST_REPEATED + " values (expected: fewer aliases)");
        }
    }

    /** The values met so far by whoever walks through the tree. */
    long met() {
        return values + repeated;
    }
}
