package io.sluice.node.transport;

import io.netty.channel.Channel;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** The open connections of one port, and how many there may be. Thread-safe. */
final class OpenConnections {

    private final int most;
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicLong refused = new AtomicLong();

    OpenConnections(int most) {
        this.most = most;
    }

    /** Returns whether there is room for a new connection, and counts it until it is closed. */
    @SuppressWarnings("FutureReturnValueIgnored") // the listener is all that is needed
    boolean admit(Channel channel) {
        if (open.incrementAndGet() > most) {
            open.decrementAndGet();
            refused.incrementAndGet();
            return false;
        }
        channel.closeFuture().addListener(closed -> open.decrementAndGet());
        return true;
    }

    /** Returns how many connections have been refused. */
    long refused() {
        return refused.get();
    }
}
