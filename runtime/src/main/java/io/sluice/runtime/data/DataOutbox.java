package io.sluice.runtime.data;

import io.sluice.runtime.data.DataBatch.Kind;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Holds the data of a process until its center has stored it. Bounded: if there is no room, the oldest batches are dropped and
 * counted. Never blocks. Thread-safe.
 */
public final class DataOutbox {

    /** All batches of one report have at most this many characters, so that the center accepts the report. */
    static final int MOST_CHARACTERS = 600_000;

    /** Batches have at most this many characters together: ten minutes of a busy process. */
    private static final long MOST_HELD = 16_000_000;

    private static final int MOST_BATCHES = 2_000;

    private final boolean acknowledged;
    private final int mostBatches;

    // Guarded by this.
    private final Deque<Held> held = new ArrayDeque<>();
    private final Map<Kind, Long> dropped = new EnumMap<>(Kind.class);
    private final Map<Kind, Long> pending = new EnumMap<>(Kind.class);
    private long heldCharacters;
    private long last;
    private long lastReported;

    private record Held(DataBatch batch, int characters) {}

    private DataOutbox(boolean acknowledged, int mostBatches) {
        this.acknowledged = acknowledged;
        this.mostBatches = mostBatches;
    }

    /** Creates an outbox for a center that confirms the batches that it has stored. */
    public static DataOutbox acknowledged() {
        return new DataOutbox(true, MOST_BATCHES);
    }

    /**
     * Creates an outbox for a center that only reads. It accepts only counts, and reports each batch several times; the center recognizes
     * a batch by its number.
     *
     * @param repeated the number of last batches in each report
     */
    public static DataOutbox repeating(int repeated) {
        return new DataOutbox(false, repeated);
    }

    /** Returns whether data of a kind should be collected. */
    public boolean takes(Kind kind) {
        return acknowledged || kind == Kind.COUNTS;
    }

    /** Adds a batch. */
    public void add(Kind kind, byte[] content) {
        if (takes(kind)) {
            // Takes a while, so it is done before the lock is acquired.
            hold(kind, content, DataText.characters(content));
        }
    }

    private synchronized void hold(Kind kind, byte[] content, int characters) {
        DataBatch batch = new DataBatch(++last, kind, content);
        if (characters > MOST_CHARACTERS) {
            dropped(kind, 1);
            return;
        }
        held.addLast(new Held(batch, characters));
        heldCharacters += characters;
        while (held.size() > mostBatches || heldCharacters > MOST_HELD) {
            Held oldest = held.removeFirst();
            heldCharacters -= oldest.characters;
            if (acknowledged) {
                dropped(oldest.batch.kind(), 1);
            }
        }
    }

    /** Sets the number of items of a kind that wait for their batch. The center counts them as dropped if this process is killed. */
    public synchronized void pending(Kind kind, long count) {
        pending.put(kind, count);
    }

    /** Counts items that were dropped before they reached a batch. */
    public synchronized void dropped(Kind kind, long count) {
        dropped.merge(kind, count, Long::sum);
    }

    /** Returns the number of items of a kind that were dropped so far. */
    public synchronized long dropped(Kind kind) {
        return dropped.getOrDefault(kind, 0L);
    }

    /** Returns the oldest batches that fit into a report. */
    public synchronized DataReport report(long nowMillis) {
        List<DataBatch> batches = new ArrayList<>();
        int characters = 0;
        // Without confirmations, the newest batches are reported.
        for (var each = acknowledged ? held.iterator() : held.descendingIterator(); each.hasNext(); ) {
            Held next = each.next();
            characters += next.characters;
            if (characters > MOST_CHARACTERS) {
                break;
            }
            batches.add(acknowledged ? batches.size() : 0, next.batch);
        }
        lastReported = last;
        return new DataReport(nowMillis, batches, dropped, pending);
    }

    /** Forgets the batches that the center has stored: all up to this number. */
    public synchronized void stored(long number) {
        if (!acknowledged) {
            return;
        }
        while (!held.isEmpty() && held.getFirst().batch.number() <= number) {
            heldCharacters -= held.removeFirst().characters;
        }
    }

    /** Returns whether the center lacks data: batches that it has not stored, or, if it confirms none, that were never reported. */
    public synchronized boolean hasMore() {
        return acknowledged ? !held.isEmpty() : last > lastReported;
    }
}
