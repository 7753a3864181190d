package io.sluice.runtime.recording;

import java.io.IOException;

/** The connection that carries excerpts to a center. */
@FunctionalInterface
public interface ExcerptLine {

    /**
     * Sends an excerpt. Blocks until the center has it.
     *
     * @param node the id of this process
     * @param question the id of the question
     * @throws IOException if the center did not accept the excerpt
     */
    void send(String node, long question, byte[] excerpt) throws IOException;
}
