package io.sluice.rules.changes;

/** Notices when positions do not rise. */
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
