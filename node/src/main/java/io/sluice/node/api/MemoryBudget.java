package io.sluice.node.api;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How many bytes callers may make a node keep: bodies that are being read and answers that are not read yet, of all connections
 * together. What is taken has to be given back. Safe for use by many threads.
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

    /** Whether there was room. */
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
