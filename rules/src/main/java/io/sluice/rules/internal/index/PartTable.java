package io.sluice.rules.internal.index;

import java.util.Map;
import java.util.TreeMap;

/** Numbers by one segment of a path: one look-up for each depth that occurs. */
final class PartTable {

    private final TextTable texts;
    private final TreeMap<Integer, Integer> places = new TreeMap<>();

    PartTable(TextTable texts) {
        this.texts = texts;
    }

    void put(Key.Part part, int value) {
        int place = places.computeIfAbsent(part.depth(), absent -> texts.newPlace());
        texts.put(place, part.name(), value);
    }

    /** How many depths were looked up. */
    int visit(Segments path, Found found) {
        int steps = 0;
        for (Map.Entry<Integer, Integer> depth : places.entrySet()) {
            if (depth.getKey() >= path.size()) {
                break;
            }
            int value = path.lookUp(depth.getKey(), texts, depth.getValue());
            if (value != TextTable.NONE) {
                found.found(value);
            }
            steps++;
        }
        return steps;
    }
}
