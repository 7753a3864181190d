package io.sluice.node.transport;

import io.netty.channel.Channel;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** The open connections of one server, and their maximum number. Thread-safe. */
public final class OpenConnections {

    /** The maximum for a server without a setting for it. */
    public static final int USUAL_MOST = 10_000;

    private final int most;
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicLong refused = new AtomicLong();

    public OpenConnections(int most) {
        this.most = most;
    }

    /** Returns whether there is room for a new connection, and counts it until it is closed. */
    @SuppressWarnings("FutureReturnValueIgnored") // the listener is all that is needed
    public boolean admit(Channel channel) {
        if (open.incrementAndGet() > most) {
            open.decrementAndGet();
            refused.incrementAndGet();
            return false;
        }
        channel.closeFuture().addListener(closed -> open.decrementAndGet());
        return true;
    }

    /** Returns the number of refused connections. */
    public long refused() {
        return refused.get();
    }
}
