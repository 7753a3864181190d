package io.sluice.center.audit;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** The expected roots of a growing tree at certain sizes, known from checkpoints, witnesses and remembered heads. Not thread-safe. */
final class Anchors {

    private final Map<Long, List<Anchor>> waiting = new HashMap<>();
    private long lastGood;

    private record Anchor(String root, Consumer<Boolean> compared) {}

    /**
     * Adds an expected root.
     *
     * @param compared receives whether the tree has this root at this size; never called if the tree does not grow that far
     */
    void add(long size, String root, Consumer<Boolean> compared) {
        waiting.computeIfAbsent(size, any -> new ArrayList<>()).add(new Anchor(root, compared));
    }

    /** Compares the root of the tree with the roots expected at its present size. */
    void compare(Frontier tree) {
        List<Anchor> here = waiting.remove(tree.size());
        if (here == null) {
            return;
        }
        String root = tree.root();
        here.forEach(anchor -> anchor.compared().accept(anchor.root().equals(root)));
        if (here.stream().allMatch(anchor -> anchor.root().equals(root))) {
            lastGood = tree.size();
        }
    }

    /** Returns a description of the rows that may have been replaced if the root at the present row is wrong. */
    String suspects() {
        return "this or an earlier row" + (lastGood == 0 ? "" : " (after row " + lastGood + ")");
    }
}
