package io.sluice.rules.internal.match;

import io.sluice.rules.internal.table.LengthTable;
import io.sluice.rules.internal.table.LookupBatch;
import io.sluice.rules.internal.table.PathSegments;
import io.sluice.rules.internal.table.TextTable;

/** Maps one segment of a path to numbers, with one lookup for each depth that occurs. Does not change once it is filled. */
final class SegmentTable {

    private final TextTable texts;
    private final LengthTable places;

    SegmentTable(TextTable texts) {
        this.texts = texts;
        this.places = new LengthTable(texts);
    }

    void put(LookupKey.SegmentAt part, int value) {
        texts.put(places.of(part.depth()), part.name(), value);
    }

    /** Adds the lookups to the batch and returns their number. */
    int ask(PathSegments path, LookupBatch questions) {
        int asked = 0;
        while (asked < places.size() && places.number(asked) < path.size()) {
            path.ask(places.number(asked), places.place(asked), questions);
            asked++;
        }
        return asked;
    }
}
