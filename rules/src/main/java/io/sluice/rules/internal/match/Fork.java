package io.sluice.rules.internal.match;

import io.sluice.rules.internal.table.BlockTable;
import io.sluice.rules.internal.table.GlobTable;
import io.sluice.rules.internal.table.HitListener;
import io.sluice.rules.internal.table.LookupBatch;
import io.sluice.rules.internal.table.LookupSubject;
import io.sluice.rules.internal.table.RouteTable;
import io.sluice.rules.internal.table.SharedTables;
import io.sluice.rules.internal.table.TextTable;
import org.jspecify.annotations.Nullable;

/** Maps the value of one attribute to numbers. Does not change once it is filled. */
final class Fork {

    private static final int NONE = TextTable.NONE;

    private final String attribute;
    private final SharedTables tables;
    private int texts = NONE;
    private @Nullable GlobTable globs;
    private @Nullable BlockTable blocks;
    private @Nullable RouteTable routes;
    private @Nullable SegmentTable parts;

    Fork(String attribute, SharedTables tables) {
        this.attribute = attribute;
        this.tables = tables;
    }

    String attribute() {
        return attribute;
    }

    /** Adds a key. Each key is added once. */
    void put(LookupKey key, int value) {
        if (key instanceof LookupKey.Text text) {
            texts = texts != NONE ? texts : tables.texts().newPlace();
            tables.texts().put(texts, text.text(), value);
        } else if (key instanceof LookupKey.Wild wild) {
            globs = globs != null ? globs : new GlobTable(tables.texts());
            globs.put(wild.glob(), value);
        } else if (key instanceof LookupKey.Block block) {
            blocks = blocks != null ? blocks : new BlockTable(tables.texts());
            blocks.put(block.network(), value);
        } else if (key instanceof LookupKey.SegmentAt part) {
            parts = parts != null ? parts : new SegmentTable(tables.texts());
            parts.put(part, value);
        } else if (key instanceof LookupKey.Route route) {
            routes = routes != null ? routes : new RouteTable(tables);
            routes.put(route.segments(), value);
        }
    }

    /**
     * Adds lookups for the value of its attribute to the batch. Patterns that can only be compared are compared immediately.
     *
     * @return the number of steps: lookups and comparisons of patterns
     */
    int ask(LookupSubject subject, LookupBatch questions, HitListener found) {
        String value = subject.get(attribute);
        if (value == null) {
            return 0;
        }
        int steps = 1;
        if (texts != NONE && !tables.texts().isTooLong(value)) {
            questions.ask(texts, value);
        }
        if (globs != null) {
            steps += globs.ask(value, questions, found);
        }
        if (blocks != null && subject.address(value).length > 0) {
            blocks.ask(subject.address(value), questions);
        }
        if (routes != null) {
            steps += routes.ask(subject.segments(value), questions);
        }
        if (parts != null) {
            steps += parts.ask(subject.segments(value), questions);
        }
        return steps;
    }
}
