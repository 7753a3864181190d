package io.sluice.http.figure;

import java.util.Arrays;

/**
 * The figures that an answer has shown so far. The later figure replaces the earlier figure. The figures of a document count
 * only when the whole document has arrived, so that a broken document has no figures.
 */
final class FoundFigures {

    private static final long NONE = -1;

    private final int slots;
    private final long[] pending;
    private final long[] known;
    private final long[] atBeginning;

    FoundFigures(int slots) {
        this.slots = slots;
        this.pending = none(2 * slots);
        this.known = none(slots);
        this.atBeginning = none(slots);
    }

    private static long[] none(int length) {
        long[] values = new long[length];
        Arrays.fill(values, NONE);
        return values;
    }

    /** Notes a figure of a document that has not ended. */
    void note(int slot, long figure) {
        pending[slot] = figure;
    }

    /** Accepts the figures of a document that has ended. */
    void accept() {
        for (int slot = 0; slot < slots; slot++) {
            if (pending[slot] != NONE) {
                known[slot] = pending[slot];
            }
            if (pending[slots + slot] != NONE) {
                atBeginning[slot] = pending[slots + slot];
            }
        }
        drop();
    }

    /** Drops the figures of a broken document. */
    void drop() {
        Arrays.fill(pending, NONE);
    }

    /** Drops all figures. */
    void clear() {
        drop();
        Arrays.fill(known, NONE);
        Arrays.fill(atBeginning, NONE);
    }

    /** Returns a figure, or a negative number if there is none. */
    long figure(int slot, boolean complete) {
        return known[slot] == NONE && complete ? atBeginning[slot] : known[slot];
    }
}
