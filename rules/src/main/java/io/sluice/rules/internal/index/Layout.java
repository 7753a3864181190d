package io.sluice.rules.internal.index;

import java.util.ArrayList;
import java.util.List;

/** All that a {@link Walk} goes through. Immutable once it is built. */
final class Layout {

    private final Tables tables;
    private final Leaves leaves;
    private final List<Node> nodes = new ArrayList<>(0);
    private final int root;

    Layout(Gathered all) {
        tables = Tables.forKeys(all.size());
        leaves = new Leaves(tables.arena());
        root = all.settle(this, new LeafWriter(tables.arena(), leaves));
        tables.arena().trim();
    }

    Tables tables() {
        return tables;
    }

    /** What leads to a node. */
    int add(Node node) {
        nodes.add(node);
        return Target.of(Target.NODE, nodes.size() - 1);
    }

    int root() {
        return root;
    }

    Leaves leaves() {
        return leaves;
    }

    Node node(int number) {
        return nodes.get(number);
    }
}
