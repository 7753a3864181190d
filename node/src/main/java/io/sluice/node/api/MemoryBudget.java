package io.sluice.node.api;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Limits the bytes that callers can make a node hold on all connections together: bodies that are being read, and answers that clients
 * have not read yet. Bytes that were taken must be given back. Thread-safe.
 */
public final class MemoryBudget {

    private static final int SHARE_OF_HEAP = 8;

    private final AtomicLong taken = new AtomicLong();
    private final long most;

    public MemoryBudget(long most) {
        this.most = most;
    }

    static MemoryBudget ofHeap() {
        return new MemoryBudget(Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP);
    }

    /** Takes the bytes and returns true if there is room. */
    public boolean take(long bytes) {
        if (taken.addAndGet(bytes) <= most) {
            return true;
        }
        taken.addAndGet(-bytes);
        return false;
    }

    public void give(long bytes) {
        taken.addAndGet(-bytes);
    }

    public long taken() {
        return taken.get();
    }
}
