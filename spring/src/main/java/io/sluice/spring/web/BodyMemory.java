package io.sluice.spring.web;

import io.sluice.http.request.RefusedRequestException;
import java.util.concurrent.atomic.AtomicLong;

/** Limits the memory for request bodies of all requests together, by default to 64 MB. Thread-safe. */
public final class BodyMemory {

    private static final long MOST = 64L * 1024 * 1024;

    private final long most;
    private final AtomicLong taken = new AtomicLong();

    /** Creates an empty account with the default bound. */
    public BodyMemory() {
        this(MOST);
    }

    /** Creates an empty account with another bound. */
    public BodyMemory(long mostBytes) {
        this.most = mostBytes;
    }

    /**
     * Reserves memory.
     *
     * @throws RefusedRequestException with status 503 if there is not enough memory left
     */
    public void take(int bytes) throws RefusedRequestException {
        if (taken.addAndGet(bytes) > most) {
            taken.addAndGet(-bytes);
            throw new RefusedRequestException(503, "memory: full of other requests (expected: try again later)");
        }
    }

    /** Frees memory that was reserved. */
    public void giveBack(int bytes) {
        taken.addAndGet(-bytes);
    }

    /** Returns the number of reserved bytes. */
    public long taken() {
        return taken.get();
    }
}
