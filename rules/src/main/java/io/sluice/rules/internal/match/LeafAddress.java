package io.sluice.rules.internal.match;

/**
 * What a request is led to, in one word: a scope of which nothing is left to be compared, by its position; one that is to be
 * compared, or several scopes, by the address of the leaf; or a node, by its number.
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
            throw new IllegalArgumentException("index: of " + number + " words (expected: at most " + MOST + ")");
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
