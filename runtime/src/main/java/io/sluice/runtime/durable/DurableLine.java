package io.sluice.runtime.durable;

import java.io.IOException;
import java.util.List;

/** The way of durable sums to the center and back. Blocks. Thread-safe. */
public interface DurableLine {

    /**
     * Stores sums. When it returns, the center has them on disk.
     *
     * @throws RefusedSumsException if the center does not understand at least one of them
     */
    void send(List<DurableSum> sums) throws IOException;

    /**
     * Returns what was charged to earlier stores, by all processes, in windows that have not ended. The center answers every process alike:
     * the first question about a store fixes the answer.
     *
     * @param store the mark of the store that was found empty
     */
    List<DurableSum> earlierThan(String store) throws IOException;

    /** Returns all sums that the center has. */
    List<DurableSum> all() throws IOException;

    /** Removes sums, those of the answers to {@link #earlierThan} too. */
    void remove(List<DurableSum> sums) throws IOException;
}
