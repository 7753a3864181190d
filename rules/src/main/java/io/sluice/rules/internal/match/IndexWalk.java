package io.sluice.rules.internal.match;

import io.sluice.rules.internal.table.HitListener;
import io.sluice.rules.internal.table.LookupBatch;
import io.sluice.rules.internal.table.LookupSubject;

/** The walk of one request through the index. Not thread-safe. */
abstract class IndexWalk implements HitListener {

    private final IndexLayout layout;
    private final LookupSubject subject;
    private final LookupBatch questions;
    private int steps;

    IndexWalk(IndexLayout layout, LookupSubject subject) {
        this.layout = layout;
        this.subject = subject;
        this.questions = new LookupBatch(layout.tables());
    }

    /** Returns whether a matching scope at this position matters. If not, scopes at higher positions also do not matter. */
    abstract boolean wants(int position);

    /** Called for each scope that the request matches, possibly more than once. */
    abstract void meets(int position);

    void start() {
        found(layout.root());
    }

    void took(int more) {
        steps += more;
    }

    /** Returns the number of steps of the walk. */
    int steps() {
        return steps;
    }

    LookupSubject subject() {
        return subject;
    }

    LookupBatch questions() {
        return questions;
    }

    @Override
    public void found(int target) {
        int number = LeafAddress.number(target);
        switch (LeafAddress.kind(target)) {
            case LeafAddress.NODE -> layout.node(number).walk(this);
            case LeafAddress.FEW -> few(number);
            default -> one(target);
        }
    }

    private void few(int leaf) {
        int size = layout.leaves().size(leaf);
        for (int i = 0; i < size; i++) {
            if (!one(layout.leaves().target(leaf, i))) {
                return;
            }
        }
    }

    private boolean one(int target) {
        steps++;
        int position = layout.leaves().position(target);
        if (!wants(position)) {
            return false;
        }
        if (layout.leaves().hold(target, subject)) {
            meets(position);
        }
        return true;
    }
}
