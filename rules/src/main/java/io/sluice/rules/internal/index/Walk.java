package io.sluice.rules.internal.index;

/** A request on its way through the index. For one thread. */
abstract class Walk implements Found<Node> {

    private final Subject subject;
    private int steps;

    Walk(Subject subject) {
        this.subject = subject;
    }

    /** Offers a scope, which may have been offered before; those of a node come in order. False: no later one is wanted. */
    abstract boolean wants(Filed filed);

    /** Offers a scope of which nothing is left to be compared. */
    abstract void meets(int position);

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

    @Override
    public void found(Node node) {
        node.walk(this);
    }
}
