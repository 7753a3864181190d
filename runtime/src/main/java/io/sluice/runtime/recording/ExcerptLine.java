package io.sluice.runtime.recording;

import java.io.IOException;

/** The way of excerpts to a center. */
@FunctionalInterface
public interface ExcerptLine {

    /**
     * Sends an excerpt. Blocks until the center has it.
     *
     * @param node the id of this process
     * @param question the id of the question
     * @throws IOException if the center did not take it
     */
    void send(String node, long question, byte[] excerpt) throws IOException;
}
