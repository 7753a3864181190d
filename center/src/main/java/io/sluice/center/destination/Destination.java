package io.sluice.center.destination;

import java.io.IOException;
import java.util.List;

/** Something that takes alerts. One thread uses it at a time. */
interface Destination {

    /**
     * Sends messages as one.
     *
     * @param id the same at each attempt to send these messages
     * @throws UndeliverableException if no further attempt can succeed
     * @throws IOException with one line for people, and without secrets
     */
    void send(String id, List<AlertMessage> messages) throws IOException;

    /** Ends what it does now, from another thread. */
    default void disconnect() {}
}
