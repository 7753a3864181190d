package io.sluice.rules.internal.match;

/**
 * Encodes the target of a lookup in one word: a scope with nothing left to compare (its position), one or several scopes to
 * compare (the address of the leaf), or a node (its number).
 */
final class LeafAddress {

    static final int SCOPE = 0;
    static final int ONE = 1;
    static final int FEW = 2;
    static final int NODE = 3;

    private static final int KIND_BITS = 2;
    private static final int MOST = Integer.MAX_VALUE >>> KIND_BITS;

    private LeafAddress() {}

    static int of(int kind, int number) {
        if (number > MOST) {
            throw new IllegalArgumentException("index: " + number + " words (expected: at most " + MOST + ")");
        }
        return number << KIND_BITS | kind;
    }

    static int kind(int target) {
        return target & NODE;
    }

    static int number(int target) {
        return target >>> KIND_BITS;
    }
}
