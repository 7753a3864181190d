package io.sluice.rules.internal.index;

import org.jspecify.annotations.Nullable;

/** Numbers by what one attribute is. Does not change once it is filled. */
final class Fork {

    private static final int NONE = TextTable.NONE;

    private final String attribute;
    private final Tables tables;
    private int texts = NONE;
    private int routes = NONE;
    private @Nullable GlobTable globs;
    private @Nullable BlockTable blocks;
    private @Nullable PartTable parts;

    Fork(String attribute, Tables tables) {
        this.attribute = attribute;
        this.tables = tables;
    }

    String attribute() {
        return attribute;
    }

    /** Each key once. */
    void put(Key key, int value) {
        if (key instanceof Key.Text text) {
            texts = texts != NONE ? texts : tables.texts().newPlace();
            tables.texts().put(texts, text.text(), value);
        } else if (key instanceof Key.Wild wild) {
            globs = globs != null ? globs : new GlobTable(tables.texts());
            globs.put(wild.glob(), value);
        } else if (key instanceof Key.Block block) {
            blocks = blocks != null ? blocks : new BlockTable();
            blocks.put(block.network(), value);
        } else if (key instanceof Key.Part part) {
            parts = parts != null ? parts : new PartTable(tables.texts());
            parts.put(part, value);
        } else if (key instanceof Key.Route route) {
            routes = routes != NONE ? routes : tables.routes().newTree();
            tables.routes().put(routes, route.segments(), value);
        }
    }

    /** Whether a look-up is many, each of which depends on the last. */
    boolean isDeep() {
        return routes != NONE;
    }

    /** Of a value that is to be looked up. */
    long hash(String value) {
        return texts == NONE ? 0 : tables.texts().hash(value);
    }

    /** See {@link TextTable#announce}. */
    int announce(String value, long hash, Subject subject) {
        return (texts == NONE ? 0 : tables.texts().announce(texts, hash))
                + (globs == null ? 0 : globs.announce(value))
                + (blocks == null ? 0 : blocks.announce(subject.address(value)));
    }

    /** How many steps it took: looking up, parts of the path tree, patterns compared. */
    int visit(Subject subject, Found found) {
        String value = subject.get(attribute);
        return value == null ? 0 : visit(value, hash(value), subject, found);
    }

    /** The same, of a value that is known. */
    int visit(String value, long hash, Subject subject, Found found) {
        int steps = 1;
        if (texts != NONE) {
            int exact = tables.texts().get(texts, hash, value, 0, value.length());
            if (exact != NONE) {
                found.found(exact);
            }
        }
        if (globs != null) {
            steps += globs.visit(value, found);
        }
        if (blocks != null) {
            blocks.visit(subject.address(value), found);
        }
        if (routes != NONE) {
            steps += tables.routes().visit(routes, subject.segments(value), found);
        }
        if (parts != null) {
            steps += parts.visit(subject.segments(value), found);
        }
        return steps;
    }
}
