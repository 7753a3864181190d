package io.sluice.redis.internal.link;

import io.sluice.redis.internal.wire.Batch;
import java.util.concurrent.atomic.AtomicInteger;

/** The way from a {@link Coalescer} to the server of its calls. */
public interface Route {

    /** Returns the number of operations that wait for that server or are in flight to it, over all routes. */
    AtomicInteger load();

    /** Checks whether the server has stopped answering. */
    void checkProgress();

    /** Sends a batch. The landing is called immediately if the batch cannot be sent. */
    void send(Batch batch, BatchCall.Landing landing);
}
