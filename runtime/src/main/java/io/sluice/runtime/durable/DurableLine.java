package io.sluice.runtime.durable;

import java.io.IOException;
import java.util.List;

/** The connection that carries durable sums to the center and back. Blocks. Thread-safe. */
public interface DurableLine {

    /**
     * Stores sums. The center has them on disk when this method returns.
     *
     * @throws RefusedSumsException if the center does not understand at least one of them
     */
    void send(List<DurableSum> sums) throws IOException;

    /**
     * Returns the charges of all processes to earlier stores, in windows that have not ended. Every process gets the same answer, because
     * the first question about a store fixes it.
     *
     * @param store the mark of the store that was found empty
     */
    List<DurableSum> earlierThan(String store) throws IOException;

    /** Returns all sums that the center has. */
    List<DurableSum> all() throws IOException;

    /** Removes sums, also from the answers to {@link #earlierThan}. */
    void remove(List<DurableSum> sums) throws IOException;
}
