package io.sluice.spring.web;

import io.sluice.http.field.BodyFields;
import io.sluice.http.request.RefusedRequestException;
import java.util.Arrays;

/**
 * The beginning of a body while it is read. Memory is reserved before bytes are read into it, piece by piece, so that slow callers cannot
 * make the application keep more than {@link BodyMemory} allows. It is not tied to a thread. Not thread-safe, except for {@link #close}.
 */
public final class BodyBuffer implements AutoCloseable {

    private static final int PIECE = 8 * 1024;
    private static final int LARGEST = BodyFields.LARGEST_BODY + 1;

    private final BodyMemory memory;
    private final long announced;
    private byte[] bytes = new byte[0];
    private int size;
    private int reserved;
    private boolean closed;

    /**
     * Creates an empty buffer.
     *
     * @param announced the length of the body that the request announces; negative if it announces none
     */
    public BodyBuffer(BodyMemory memory, long announced) {
        this.memory = memory;
        this.announced = announced;
    }

    /**
     * Makes room before more bytes are read.
     *
     * @param atLeast the number of bytes that must fit; there may be more room
     * @throws RefusedRequestException with status 503 if there is not enough memory left
     */
    public void makeRoom(int atLeast) throws RefusedRequestException {
        int needed = size + atLeast;
        if (needed <= bytes.length) {
            return;
        }
        // One byte more than announced, to detect the end without more room.
        int most = announced < 0 ? LARGEST : (int) Math.min(LARGEST, announced + 1);
        int wanted = Math.max(needed, Math.min(most, bytes.length == 0 ? PIECE : 2 * bytes.length));
        reserve(wanted - bytes.length);
        bytes = Arrays.copyOf(bytes, wanted);
    }

    private synchronized void reserve(int more) throws RefusedRequestException {
        if (closed) {
            throw new RefusedRequestException(503, "the request has ended");
        }
        memory.take(more);
        reserved += more;
    }

    /** Returns the array to read into, from {@link #size} on. */
    public byte[] array() {
        return bytes;
    }

    public int size() {
        return size;
    }

    /** Adds bytes that were read into the array. */
    public void advance(int count) {
        size += count;
    }

    /** Returns whether the buffer has as much of the body as rules read. */
    public boolean isFull() {
        return size > BodyFields.LARGEST_BODY;
    }

    /** Frees the unused room. {@link #array} then returns exactly the bytes that were read. */
    public void trim() {
        int surplus = bytes.length - size;
        if (surplus == 0) {
            return;
        }
        bytes = Arrays.copyOf(bytes, size);
        synchronized (this) {
            if (!closed) {
                reserved -= surplus;
                memory.giveBack(surplus);
            }
        }
    }

    /** Frees the memory when the request has ended. */
    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            memory.giveBack(reserved);
        }
    }
}
