package io.sluice.node.record;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Passes items from many threads to one, and never makes them wait: an item that finds no room is dropped and counted. Thread-safe;
 * {@link #drain} and {@link #gap} are for one thread.
 *
 * <p>After the first dropped item, all later items are also dropped, until the reader has taken all earlier items and has noted the gap.
 * So an item that depends on a dropped one, because the thread that added it had seen the effect, never comes before the gap.
 */
final class RecordingQueue {

    /** The number of taken items after which their room becomes visible, because each update makes every adding thread reload it. */
    private static final int AT_ONCE = 64;

    /** Adding threads claim places at the tail and fill them; the reader empties them at the head. */
    private final AtomicReferenceArray<@Nullable Object> ring;

    private final AtomicLong tail = new AtomicLong();
    private volatile long head;

    /** The number of items that were dropped since the last gap was noted. */
    private final AtomicLong missing = new AtomicLong();

    private final LongAdder dropped = new LongAdder();

    RecordingQueue(int capacity) {
        this.ring = new AtomicReferenceArray<>(capacity);
    }

    /** Adds an item, or drops it. Takes no lock and waits for no other thread. */
    void add(Object item) {
        if (missing.get() > 0) {
            drop();
            return;
        }
        while (true) {
            long next = tail.get();
            if (next - head >= ring.length()) {
                drop();
                return;
            }
            if (tail.compareAndSet(next, next + 1)) {
                ring.set(index(next), item);
                return;
            }
        }
    }

    private void drop() {
        missing.incrementAndGet();
        dropped.increment();
    }

    /** Returns the number of dropped items. */
    long dropped() {
        return dropped.sum();
    }

    /** Takes the waiting items, at most as many as the queue holds. Returns whether there were any. */
    boolean drain(Consumer<Object> reader) {
        long place = head;
        long end = place + ring.length();
        Object next = ring.get(index(place));
        boolean any = next != null;
        while (next != null && place < end) {
            ring.set(index(place), null);
            place++;
            if (place % AT_ONCE == 0) {
                head = place;
            }
            reader.accept(next);
            next = ring.get(index(place));
        }
        head = place;
        return any;
    }

    /** Returns whether every added item has been taken. */
    boolean isEmpty() {
        return head == tail.get();
    }

    /**
     * Ends the gap, if there is one and everything before it has been taken.
     *
     * @param note receives the number of missing items, before the first item behind the gap can be added
     */
    void gap(Consumer<Long> note) {
        long count = missing.get();
        if (count > 0 && isEmpty()) {
            note.accept(count);
            missing.addAndGet(-count);
        }
    }

    private int index(long place) {
        return (int) (place % ring.length());
    }
}
