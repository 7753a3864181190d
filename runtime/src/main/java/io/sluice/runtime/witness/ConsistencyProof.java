package io.sluice.runtime.witness;

import java.util.List;

/**
 * Proves that a tree extends a smaller one: no leaf of the smaller tree was changed or removed. RFC 9162, section 2.1.4.
 *
 * @param from the number of leaves of the smaller tree
 * @param hashes the hashes of the proof, in hexadecimal digits; none if the smaller tree is empty or has the same size
 */
public record ConsistencyProof(long from, List<String> hashes) {

    /** The maximum number of hashes. No tree with up to 2⁶² leaves needs more. */
    public static final int MOST_HASHES = 130;

    public ConsistencyProof {
        hashes = List.copyOf(hashes);
        if (from < 0) {
            throw new IllegalArgumentException("from: " + from + " (expected: 0 or more)");
        }
        if (hashes.size() > MOST_HASHES || !hashes.stream().allMatch(TreeHash::isHash)) {
            throw new IllegalArgumentException("proof: malformed (expected: at most " + MOST_HASHES + " hashes)");
        }
    }

    /**
     * Returns whether the tree with the new size and root extends the tree with the old ones.
     *
     * @param oldRoot the root of the tree with {@link #from} leaves
     */
    public boolean proves(String oldRoot, long newSize, String newRoot) {
        if (from > newSize) {
            return false;
        }
        if (from == newSize) {
            return hashes.isEmpty() && oldRoot.equals(newRoot);
        }
        if (from == 0) {
            return hashes.isEmpty() && oldRoot.equals(TreeHash.EMPTY);
        }
        // The two trees part at the last complete subtree of the old tree.
        long node = from - 1;
        long last = newSize - 1;
        while ((node & 1) == 1) {
            node >>= 1;
            last >>= 1;
        }
        int next = 0;
        String left;
        if (node == 0) {
            left = oldRoot;
        } else {
            if (hashes.isEmpty()) {
                return false;
            }
            left = hashes.get(next++);
        }
        String whole = left;
        while (last > 0) {
            if ((node & 1) == 1 || node == last) {
                if (next == hashes.size()) {
                    return false;
                }
                String sibling = hashes.get(next++);
                left = TreeHash.node(sibling, left);
                whole = TreeHash.node(sibling, whole);
                while ((node & 1) == 0 && node != 0) {
                    node >>= 1;
                    last >>= 1;
                }
            } else {
                if (next == hashes.size()) {
                    return false;
                }
                whole = TreeHash.node(whole, hashes.get(next++));
            }
            node >>= 1;
            last >>= 1;
        }
        return next == hashes.size() && left.equals(oldRoot) && whole.equals(newRoot);
    }
}
