package io.sluice.redis.internal.link;

import io.sluice.redis.internal.wire.Batch;
import java.util.concurrent.atomic.AtomicInteger;

/** The way from a {@link Coalescer} to the server of its calls. */
public interface Route {

    /** Returns how many operations wait for that server or are under way to it, over all routes. */
    AtomicInteger load();

    /** Checks whether the server has stopped answering. */
    void checkProgress();

    /** Sends a batch. The landing is called at once if the batch cannot be sent. */
    void send(Batch batch, BatchCall.Landing landing);
}
