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

    /** How many steps it took: looking up, parts of the path tree, patterns compared. */
    int visit(Subject subject, Found found) {
        String value = subject.get(attribute);
        if (value == null) {
            return 0;
        }
        int steps = 1;
        if (texts != NONE) {
            int exact = tables.texts().get(texts, value);
            if (exact != NONE) {
                found.found(exact);
            }
        }
        if (globs != null) {
            steps += globs.visit(value, found);
        }
        if (blocks != null) {
            byte[] address = subject.address(value);
            if (address.length > 0) {
                blocks.visit(address, found);
            }
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
