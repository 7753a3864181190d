package io.sluice.center.sink;

import java.io.IOException;
import java.util.List;

/** A place outside of the center. One thread sends. */
interface Sink {

    /** Returns when the messages are stored there in their order, as far as the sender can know. A failed call may be repeated. */
    void send(List<SinkMessage> messages) throws IOException;

    /** Drops the connection. A call under way fails, and the next call connects again. May be called by any thread. */
    void disconnect();
}
