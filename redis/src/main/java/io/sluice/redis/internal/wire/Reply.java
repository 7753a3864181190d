package io.sluice.redis.internal.wire;

import io.sluice.core.history.HistoryListener;
import io.sluice.core.history.StepEvent;
import io.sluice.core.spi.Verdict;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/** The numbers with which {@code decide.lua} answers a batch. Each operation reads its numbers in turn. */
public final class Reply {

    private static final int OUTSIDE = -1;
    private static final int FULL = -2;
    private static final int COMMON = -3;

    private final ByteBuffer numbers;
    private final long micros;
    private final @Nullable HistoryListener listener;

    public Reply(byte[] bytes, @Nullable HistoryListener listener) {
        this.numbers = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        this.micros = next();
        this.listener = listener;
    }

    /** Returns the server's time. */
    public long micros() {
        return micros;
    }

    /** Returns whether Redis skipped the next operation because the server's time is outside the windows in the request. */
    public boolean isOutside() {
        return nextIs(OUTSIDE);
    }

    /** Returns whether Redis skipped the next operation because it needs a new key and there is no memory for it. */
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

    /**
     * Reads the verdict on a demand.
     *
     * @param permits the number of wanted permits
     */
    Verdict verdict(long permits, boolean charges) {
        long first = next();
        if (first <= COMMON) {
            return new Verdict(true, charges ? permits : 0, COMMON - first, 0, orNever(next()), 0, micros);
        }
        long remaining = next();
        long left = next();
        long reset = orNever(next());
        long chargedAt = next();
        boolean fits = first > 0;
        return new Verdict(
                fits,
                charges ? Math.min(first, permits) : 0,
                remaining,
                fits ? 0 : orNever(left),
                reset,
                fits ? left : 0,
                Math.abs(chargedAt),
                chargedAt < 0);
    }

    static long orNever(long micros) {
        return micros < 0 ? Verdict.NEVER : micros;
    }

    void skip(int some) {
        numbers.position(numbers.position() + some * Double.BYTES);
    }

    /** Returns whether the numbers of steps follow. If not, a step costs nothing, not even the event object. */
    boolean isRecorded() {
        return listener != null;
    }

    /** Records one step. Must be called after the numbers of the operation were read, in the order of its demands. */
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
