package io.sluice.rules.internal.index;

/** A request on its way through the index. For one thread. */
abstract class Walk implements Found {

    private final Layout layout;
    private final Subject subject;
    private final Questions questions;
    private int steps;

    Walk(Layout layout, Subject subject) {
        this.layout = layout;
        this.subject = subject;
        this.questions = new Questions(layout.tables());
    }

    /** Whether a scope matters if the request is in it; if not, those of higher positions do not either. */
    abstract boolean wants(int position);

    /** Tells of a scope that the request is in, perhaps once more. */
    abstract void meets(int position);

    void start() {
        found(layout.root());
    }

    void took(int more) {
        steps += more;
    }

    /** How much work it was. */
    int steps() {
        return steps;
    }

    Subject subject() {
        return subject;
    }

    Questions questions() {
        return questions;
    }

    @Override
    public void found(int target) {
        int number = Target.number(target);
        switch (Target.kind(target)) {
            case Target.NODE -> layout.node(number).walk(this);
            case Target.FEW -> few(number);
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
