package io.sluice.center.erase;

import java.io.IOException;
import java.util.Set;

/**
 * Data of the center that identifies callers by their keyed hashes. An erasure removes a subject from it as soon as a node has
 * reported the hashes of the subject. Implementations are thread-safe.
 */
public interface HashedData {

    /** Returns the kind of the erased items, such as {@code refused_callers}: the name of their count in the reply of an erasure. */
    String kind();

    /**
     * Removes all items that carry one of the hashes. If it fails, it is called again with the same hashes.
     *
     * @return the number of removed items
     * @throws IOException if an item could not be removed; then the erasure tries again
     */
    long erase(Set<String> hashes) throws IOException;
}
