package io.sluice.rules.internal.index;

import io.sluice.rules.PathPattern.Exact;
import io.sluice.rules.PathPattern.Segment;
import java.util.List;

/**
 * Numbers by path pattern: found by the segments before the first that is not plain text, with one look-up for each number of
 * them that occurs, and by the others in a {@linkplain PathTrie tree}. Does not change once it is filled.
 */
final class RouteTable {

    private final Tables tables;
    private final Places places;

    RouteTable(Tables tables) {
        this.tables = tables;
        this.places = new Places(tables.texts());
    }

    void put(List<Segment> pattern, int value) {
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

    /** How many. */
    int ask(Segments path, Questions questions) {
        int asked = 0;
        while (asked < places.size()
                && places.number(asked) <= path.size()
                && path.askTree(places.number(asked), places.place(asked), questions)) {
            asked++;
        }
        return asked;
    }
}
