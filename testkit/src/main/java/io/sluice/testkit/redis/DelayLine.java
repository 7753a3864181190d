package io.sluice.testkit.redis;

import io.sluice.core.time.Clock;
import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Bytes in transit, in order, each due at its own time. Adding to a full line blocks. Thread-safe. */
final class DelayLine {

    /** The end of the stream. */
    static final byte[] END = new byte[0];

    private static final int MOST_BYTES = 4 << 20;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ArrayDeque<Parcel> parcels = new ArrayDeque<>();
    private int held;
    private boolean closed;

    /** Adds bytes, unless the line is closed. */
    void put(byte[] bytes, long delayNanos) throws InterruptedException {
        lock.lock();
        try {
            while (held >= MOST_BYTES && !closed) {
                changed.await();
            }
            if (!closed) {
                parcels.add(new Parcel(bytes, Clock.system().nanoTime() + delayNanos));
                held += bytes.length;
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns the next bytes when they are due, or {@link #END} when the line is closed. */
    byte[] take() throws InterruptedException {
        lock.lock();
        try {
            while (!closed) {
                Parcel first = parcels.peek();
                long early = first == null
                        ? Long.MAX_VALUE
                        : first.dueNanos - Clock.system().nanoTime();
                if (first != null && early <= 0) {
                    parcels.remove();
                    held -= first.bytes.length;
                    changed.signalAll();
                    return first.bytes;
                }
                changed.awaitNanos(early);
            }
            return END;
        } finally {
            lock.unlock();
        }
    }

    void close() {
        lock.lock();
        try {
            closed = true;
            parcels.clear();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private static final class Parcel {

        private final byte[] bytes;
        private final long dueNanos;

        Parcel(byte[] bytes, long dueNanos) {
            this.bytes = bytes;
            this.dueNanos = dueNanos;
        }
    }
}
