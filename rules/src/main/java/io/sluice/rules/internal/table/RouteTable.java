package io.sluice.rules.internal.table;

import io.sluice.rules.pattern.PathPattern.Exact;
import io.sluice.rules.pattern.PathPattern.Segment;
import java.util.List;

/**
 * Maps path patterns to numbers. A pattern is found by its leading segments of plain text, with one lookup for each number of
 * such segments that occurs, and by its other segments in a {@linkplain PathTrie tree}. Does not change once it is filled.
 */
public final class RouteTable {

    private final SharedTables tables;
    private final LengthTable places;

    public RouteTable(SharedTables tables) {
        this.tables = tables;
        this.places = new LengthTable(tables.texts());
    }

    public void put(List<Segment> pattern, int value) {
        StringBuilder text = new StringBuilder();
        int depth = 0;
        while (depth < pattern.size() && pattern.get(depth) instanceof Exact exact) {
            text.append('/').append(exact.name());
            depth++;
        }
        String head = text.toString();
        int place = places.of(depth);
        int tree = tables.texts().get(place, head);
        if (tree == TextTable.NONE) {
            tree = tables.routes().newTree();
            tables.texts().put(place, head, tree);
        }
        tables.routes().put(tree, pattern.subList(depth, pattern.size()), value);
    }

    /** Adds the lookups to the batch and returns their number. */
    public int ask(PathSegments path, LookupBatch questions) {
        int asked = 0;
        while (asked < places.size()
                && places.number(asked) <= path.size()
                && path.askTree(places.number(asked), places.place(asked), questions)) {
            asked++;
        }
        return asked;
    }
}
