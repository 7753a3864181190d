package io.sluice.center.destination;

import java.io.IOException;
import java.util.List;

/** A receiver of alerts. Used by one thread at a time. */
interface Destination {

    /**
     * Sends messages together.
     *
     * @param id the same at each attempt to send these messages
     * @throws UndeliverableException if no further attempt can succeed
     * @throws IOException if the attempt failed; the message is one line for people, without secrets
     */
    void send(String id, List<AlertMessage> messages) throws IOException;

    /** Ends the current conversation. Called from another thread. */
    default void disconnect() {}
}
