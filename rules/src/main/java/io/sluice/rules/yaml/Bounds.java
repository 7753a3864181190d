package io.sluice.rules.yaml;

/**
 * Bounds the size of a tree, so that no document can exhaust the stack, the memory or the CPU: 50 levels of nesting, 10,000 keys in a
 * mapping, a maximum total number of values, 10,000 anchors, and 250,000 more values through aliases. Aliased values are shared, not
 * copied, but code that walks the tree visits them each time.
 *
 * <p>A YAML value takes about a microsecond to parse. So the amount of YAML that may be read before the first valid item is
 * bounded, and each valid item raises the bound. A document is therefore refused within a second, or consists mostly of valid
 * items.
 */
final class Bounds {

    static final int MOST_BEFORE_ITEMS = 800_000;
    static final int MOST_CHARACTERS_BEFORE_ITEMS = 8_000_000;

    private static final int DEEPEST = 50;
    private static final int MOST_KEYS = 10_000;
    private static final int MOST_VALUES = 3_000_000;
    private static final int MOST_REPEATED = 250_000;
    private static final int MOST_ANCHORS = 10_000;

    /** The amount by which a valid item raises the bound: more values than the largest of many items needs. */
    private static final int VALUES_OF_ITEM = 200;

    private static final int CHARACTERS_OF_ITEM = 4_000;

    private final boolean byItems;
    private int depth;
    private int values;
    private int items;
    private int anchors;
    private long repeated;

    private Bounds(boolean byItems) {
        this.byItems = byItems;
    }

    static Bounds ofYaml() {
        return new Bounds(true);
    }

    /** Returns the bounds of JSON, which parses ten times as fast, so that its bound does not depend on items. */
    static Bounds ofJson() {
        return new Bounds(false);
    }

    void enter(Place place) {
        if (++depth > DEEPEST) {
            throw UnreadableDocument.outOfBounds(
                    place, "nesting: deeper than " + DEEPEST + " levels (expected: at most " + DEEPEST + ")");
        }
    }

    void leave() {
        depth--;
    }

    /** Returns whether only the root has been entered. */
    boolean isInRoot() {
        return depth == 1;
    }

    void value(Place place) {
        values++;
        long most = byItems ? MOST_BEFORE_ITEMS + (long) VALUES_OF_ITEM * items : MOST_VALUES;
        if (values > most) {
            throw UnreadableDocument.outOfBounds(
                    place,
                    byItems
                            ? "values: more than " + MOST_BEFORE_ITEMS + " plus " + VALUES_OF_ITEM
                                    + " for each valid rule (expected: fewer values, or JSON, which may have more)"
                            : "values: more than " + MOST_VALUES + " (expected: a smaller document or several)");
        }
    }

    /** Records the number of characters that have been read so far. */
    void characters(int read, Place place) {
        if (read > MOST_CHARACTERS_BEFORE_ITEMS + (long) CHARACTERS_OF_ITEM * items) {
            throw UnreadableDocument.outOfBounds(
                    place,
                    "characters: more than " + MOST_CHARACTERS_BEFORE_ITEMS + " plus " + CHARACTERS_OF_ITEM
                            + " for each valid rule (expected: a shorter document, or JSON, which may be longer)");
        }
    }

    /** Records that a valid item was read. */
    void item() {
        items++;
    }

    /** Returns the number of values so far. */
    int values() {
        return values;
    }

    /** Goes back to an earlier number of values, at this depth, to read the values after them again. */
    void back(int earlier, int depthThere) {
        values = earlier;
        depth = depthThere;
    }

    /** Checks that a mapping with this many keys may have another key. */
    void key(int keys, Place place) {
        if (keys >= MOST_KEYS) {
            throw UnreadableDocument.outOfBounds(
                    place, "keys: more than " + MOST_KEYS + " in one mapping (expected: at most " + MOST_KEYS + ")");
        }
    }

    void anchor(Place place) {
        if (++anchors > MOST_ANCHORS) {
            throw UnreadableDocument.outOfBounds(
                    place, "anchors: more than " + MOST_ANCHORS + " (expected: at most " + MOST_ANCHORS + ")");
        }
    }

    /** Records that an alias stands for this many values. */
    void repeat(long size, Place place) {
        repeated += size;
        if (repeated > MOST_REPEATED) {
            throw UnreadableDocument.outOfBounds(
                    place, "aliases: expand to more than " + MOST_REPEATED + " values (expected: fewer aliases)");
        }
    }

    /** Returns the number of values that a walk through the tree has visited so far, aliases included. */
    long met() {
        return values + repeated;
    }
}
