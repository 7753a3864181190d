package io.sluice.redis.internal.link;

import io.sluice.redis.internal.wire.Batch;
import java.util.concurrent.atomic.AtomicInteger;

/** The way of the calls of a {@link Coalescer} to whichever server they are for. */
public interface Route {

    /** How many questions wait for that server or are under way to it, by whatever route. */
    AtomicInteger load();

    /** Looks whether the server has stopped answering. */
    void checkProgress();

    /** Sends a batch; lands at once if it cannot be sent. */
    void send(Batch batch, BatchCall.Landing landing);
}
