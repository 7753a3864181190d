package io.sluice.center.erase;

import java.io.IOException;
import java.util.Set;

/**
 * Data of the center that knows callers by their keyed hashes. An erasure removes a subject from it as soon as a node has told the hashes
 * of the subject. Implementations are thread-safe.
 */
public interface HashedData {

    /** Returns what is erased, such as {@code refused_callers}: a name of a count in the answer of an erasure. */
    String kind();

    /**
     * Removes everything that carries one of the hashes. Called again with the same hashes if something fails.
     *
     * @return how many things were removed
     * @throws IOException if something could not be removed; then the erasure tries again
     */
    long erase(Set<String> hashes) throws IOException;
}
