package io.sluice.center.audit;

import io.sluice.runtime.witness.TreeHash;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * A growing Merkle tree, stored as the roots of its complete subtrees, largest first. These roots suffice to add a leaf and to
 * compute the root. Not thread-safe.
 */
final class Frontier {

    private final List<String> subtrees;
    private long size;

    private Frontier(long size, List<String> subtrees) {
        this.size = size;
        this.subtrees = subtrees;
    }

    static Frontier empty() {
        return new Frontier(0, new ArrayList<>());
    }

    /** Restores a tree from the result of {@link #text}. */
    static Frontier of(long size, String text) {
        List<String> subtrees = text.isEmpty() ? List.of() : List.of(text.split(" "));
        if (subtrees.size() != Long.bitCount(size)) {
            throw new IllegalStateException("the head of the audit log is damaged");
        }
        return new Frontier(size, new ArrayList<>(subtrees));
    }

    long size() {
        return size;
    }

    String text() {
        return String.join(" ", subtrees);
    }

    void add(String leaf) {
        add(leaf, (node, hash) -> {});
    }

    /**
     * Adds a leaf.
     *
     * @param completed receives each subtree that this leaf completes, starting with the leaf itself
     */
    void add(String leaf, BiConsumer<Node, String> completed) {
        String hash = leaf;
        long place = size;
        completed.accept(new Node(0, place), hash);
        for (int depth = 0; (place & 1) == 1; depth++) {
            hash = TreeHash.node(subtrees.remove(subtrees.size() - 1), hash);
            place >>= 1;
            completed.accept(new Node(depth + 1, place), hash);
        }
        subtrees.add(hash);
        size++;
    }

    String root() {
        if (subtrees.isEmpty()) {
            return TreeHash.EMPTY;
        }
        String root = subtrees.get(subtrees.size() - 1);
        for (int i = subtrees.size() - 2; i >= 0; i--) {
            root = TreeHash.node(subtrees.get(i), root);
        }
        return root;
    }

    /** The place of a complete subtree: its height, and the number of subtrees of the same height before it. */
    record Node(int depth, long place) {}
}
