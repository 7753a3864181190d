package io.sluice.runtime.erasure;

/**
 * An order of the center to erase the data that a node stores about a subject.
 *
 * @param id the id of the erasure
 */
public record ErasureOrder(long id, Subject subject) {

    /** The maximum number of orders in one answer. */
    public static final int MOST = 20;

    public ErasureOrder {
        if (id < 1) {
            throw new IllegalArgumentException("id: " + id + " (expected: 1 or more)");
        }
    }
}
