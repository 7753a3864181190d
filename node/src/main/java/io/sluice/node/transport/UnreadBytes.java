package io.sluice.node.transport;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How many bytes of request bodies all HTTP/2 connections together hold because nobody has read them yet, and how many they may hold.
 * Thread-safe.
 */
final class UnreadBytes {

    private final AtomicLong taken = new AtomicLong();
    private final long most;

    UnreadBytes(long most) {
        this.most = most;
    }

    /** Takes the bytes, or gives them back if the number is negative. Returns whether there is room for all that are taken now. */
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
