package io.sluice.rules.changes;

/** Detects positions that do not increase. */
final class Order {

    private int last = -1;
    private boolean broken;

    void next(int position) {
        broken |= position < last;
        last = position;
    }

    boolean isBroken() {
        return broken;
    }
}
