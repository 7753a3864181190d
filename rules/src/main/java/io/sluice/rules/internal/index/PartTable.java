package io.sluice.rules.internal.index;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/** Values by one segment of a path: one look-up for each depth that occurs. */
final class PartTable<V> {

    private final TreeMap<Integer, Map<String, V>> byDepth = new TreeMap<>();

    V at(Key.Part part, Supplier<V> fresh) {
        return byDepth.computeIfAbsent(part.depth(), absent -> new HashMap<>())
                .computeIfAbsent(part.name(), absent -> fresh.get());
    }

    /** How many depths were looked up. */
    int visit(Segments path, Found<V> found) {
        List<String> segments = path.parts();
        int steps = 0;
        for (Map.Entry<Integer, Map<String, V>> depth : byDepth.entrySet()) {
            if (depth.getKey() >= segments.size()) {
                break;
            }
            V value = depth.getValue().get(segments.get(depth.getKey()));
            if (value != null) {
                found.found(value);
            }
            steps++;
        }
        return steps;
    }
}
