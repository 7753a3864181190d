package io.sluice.rules.yaml;

/**
 * How large a tree may become, so that nobody exhausts stack, memory or time with a document: 50 levels, ten thousand keys in a
 * mapping, so many values in all, ten thousand anchors, and a quarter of a million values more by way of aliases. Those are
 * shared and not copied, but whoever walks through the tree meets them each time.
 *
 * <p>YAML takes about a microsecond for each value. So what may be read of it before there is an item that was found good is
 * bounded, and each item that was makes room for more: a document is refused within a second, or consists of what it should.
 */
final class Bounds {

    static final int MOST_BEFORE_ITEMS = 800_000;
    static final int MOST_CHARACTERS_BEFORE_ITEMS = 8_000_000;

    private static final int DEEPEST = 50;
    private static final int MOST_KEYS = 10_000;
    private static final int MOST_VALUES = 3_000_000;
    private static final int MOST_REPEATED = 250_000;
    private static final int MOST_ANCHORS = 10_000;

    /** More than the largest of many items has. */
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

    /** Which is read ten times as fast. */
    static Bounds ofJson() {
        return new Bounds(false);
    }

    void enter(Place place) {
        if (++depth > DEEPEST) {
            throw UnreadableDocument.outOfBounds(
                    place, "nesting: deeper than " + DEEPEST + " (expected: at most " + DEEPEST + ")");
        }
    }

    void leave() {
        depth--;
    }

    /** Whether nothing was entered but the root. */
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
                            ? "values: more than " + MOST_BEFORE_ITEMS
                                    + " beside or in a rule (expected: fewer, or JSON, which is read faster)"
                            : "values: more than " + MOST_VALUES + " (expected: several documents)");
        }
    }

    /** So many characters were read. */
    void characters(int read, Place place) {
        if (read > MOST_CHARACTERS_BEFORE_ITEMS + (long) CHARACTERS_OF_ITEM * items) {
            throw UnreadableDocument.outOfBounds(
                    place,
                    "characters: more than " + MOST_CHARACTERS_BEFORE_ITEMS
                            + " beside or in a rule (expected: fewer, or JSON, which is read faster)");
        }
    }

    /** An item was read, and whoever asked for it can use it. */
    void item() {
        items++;
    }

    /** A mapping has so many keys, and another. */
    void key(int keys, Place place) {
        if (keys >= MOST_KEYS) {
            throw UnreadableDocument.outOfBounds(
                    place, "keys: more than " + MOST_KEYS + " (expected: fewer in one mapping)");
        }
    }

    void anchor(Place place) {
        if (++anchors > MOST_ANCHORS) {
            throw UnreadableDocument.outOfBounds(
                    place, "anchors: more than " + MOST_ANCHORS + " (expected: fewer anchors)");
        }
    }

    /** An alias stands for so many values. */
    void repeat(long size, Place place) {
        repeated += size;
        if (repeated > MOST_REPEATED) {
            throw UnreadableDocument.outOfBounds(
                    place, "aliases: stand for more than " + MOST_REPEATED + " values (expected: fewer aliases)");
        }
    }

    /** The values met so far by whoever walks through the tree. */
    long met() {
        return values + repeated;
    }
}
