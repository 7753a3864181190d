package io.sluice.redis.internal.wire;

import io.sluice.core.history.HistoryListener;
import io.sluice.core.history.StepEvent;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/** The numbers that {@code decide.lua} answers a batch with, read from the front by one question after the other. */
public final class Reply {

    private static final int OUTSIDE = -1;
    private static final int FULL = -2;

    private final ByteBuffer numbers;
    private final long micros;
    private final @Nullable HistoryListener listener;

    public Reply(byte[] bytes, @Nullable HistoryListener listener) {
        this.numbers = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        this.micros = next();
        this.listener = listener;
    }

    /** The server's time. */
    public long micros() {
        return micros;
    }

    /** Whether nothing was done for the next question, because the server's time is outside the windows it was told of. */
    public boolean isOutside() {
        return nextIs(OUTSIDE);
    }

    /** Whether nothing was done for the next question, because it needs a new key and there is no memory for one. */
    public boolean isFull() {
        return nextIs(FULL);
    }

    private boolean nextIs(int number) {
        if (numbers.getDouble(numbers.position()) != number) {
            return false;
        }
        next();
        return true;
    }

    long next() {
        return (long) numbers.getDouble();
    }

    void skip(int some) {
        numbers.position(numbers.position() + some * Double.BYTES);
    }

    /** Whether numbers of steps follow. Without them a step costs nothing: not even the object that tells of it. */
    boolean isRecorded() {
        return listener != null;
    }

    /** Tells the listener of a demand; after the numbers of its question were read, in the order of its demands. */
    void record(String count, StepEvent.Step step) {
        if (listener == null) {
            return;
        }
        long since = next();
        long number = next();
        boolean changed = number > 0;
        listener.happened(new StepEvent(count, since, changed ? number : -1 - number, changed, micros, step));
    }
}
