package io.sluice.rules.internal.match;

import io.sluice.rules.internal.table.SharedTables;
import java.util.ArrayList;
import java.util.List;

/** The data that an {@link IndexWalk} visits. Immutable once it is built. */
final class IndexLayout {

    private final SharedTables tables;
    private final Leaves leaves;
    private final List<IndexNode> nodes = new ArrayList<>(0);
    private final int root;

    IndexLayout(ScopeGroup all) {
        tables = SharedTables.forKeys(all.size());
        leaves = new Leaves(tables.arena());
        root = all.settle(this, new LeafWriter(tables.arena(), leaves));
        tables.arena().trim();
    }

    SharedTables tables() {
        return tables;
    }

    /** Adds a node and returns the address that leads to it. */
    int add(IndexNode node) {
        nodes.add(node);
        return LeafAddress.of(LeafAddress.NODE, nodes.size() - 1);
    }

    int root() {
        return root;
    }

    Leaves leaves() {
        return leaves;
    }

    IndexNode node(int number) {
        return nodes.get(number);
    }
}
