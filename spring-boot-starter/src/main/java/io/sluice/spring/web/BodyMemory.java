package io.sluice.spring.web;

import io.sluice.http.request.RefusedRequestException;
import java.util.concurrent.atomic.AtomicLong;

/** How much of request bodies is kept by all requests together: at most 64 MB. Safe for use by many threads. */
public final class BodyMemory {

    private static final long MOST = 64L * 1024 * 1024;

    private final long most;
    private final AtomicLong taken = new AtomicLong();

    /** Nothing is kept yet. */
    public BodyMemory() {
        this(MOST);
    }

    /** The same with another bound. */
    public BodyMemory(long mostBytes) {
        this.most = mostBytes;
    }

    /**
     * Keeps so many more.
     *
     * @throws RefusedRequestException if there is no room (503)
     */
    public void take(int bytes) throws RefusedRequestException {
        if (taken.addAndGet(bytes) > most) {
            taken.addAndGet(-bytes);
            throw new RefusedRequestException(503, "memory: full of other requests (expected: try again)");
        }
    }

    /** So many of those that were taken are not kept any more. */
    public void giveBack(int bytes) {
        taken.addAndGet(-bytes);
    }

    /** In bytes. */
    public long taken() {
        return taken.get();
    }
}
