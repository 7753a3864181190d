package io.sluice.node.transport;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The number of bytes of unread request bodies that all HTTP/2 connections together hold, and its maximum. Thread-safe.
 */
final class UnreadBytes {

    private final AtomicLong taken = new AtomicLong();
    private final long most;

    UnreadBytes(long most) {
        this.most = most;
    }

    /** Takes the bytes, or gives them back if the number is negative. Returns whether there is room for all bytes that are taken now. */
    boolean take(long bytes) {
        return taken.addAndGet(bytes) <= most;
    }

    void give(long bytes) {
        taken.addAndGet(-bytes);
    }

    long taken() {
        return taken.get();
    }
}
