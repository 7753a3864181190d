package io.sluice.redis.internal.refusal;

import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Demand;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * What was last heard of counts: of {@link #MOST} of them, and never of more. Safe for use by many threads; reading takes no
 * lock.
 *
 * <p>A table of rows, each with a few places; a count belongs to one row. Where a row is full, somebody of it gives way by lot:
 * a flood of keys costs others a place now and then, and nobody can keep a place or aim at somebody else's for long. Who lost
 * one is refused by Redis again.
 *
 * <p>A cache of a library (Caffeine) could bound the number, but has no stamp of a key that is not there.
 *
 * <p>What is forgotten must not come back with an answer that was under way meanwhile. So whoever asks takes a stamp of the row
 * first, and what is heard is kept only if nothing of the row was forgotten since.
 */
public final class RefusalTable {

    /** How many are remembered at most; some 20 MB if all of them are. */
    static final int MOST = 65_536;

    private static final int PLACES = 8;
    private static final int ROWS = MOST / PLACES;
    private static final int LOCKS = 64;

    private final AtomicReferenceArray<@Nullable LastVerdict> table = new AtomicReferenceArray<>(MOST);
    private final AtomicIntegerArray stamps = new AtomicIntegerArray(ROWS);
    private final Object[] locks = new Object[LOCKS];

    public RefusalTable() {
        for (int i = 0; i < LOCKS; i++) {
            locks[i] = new Object();
        }
    }

    /** To be taken before Redis is asked, and shown when its answer is kept. */
    int stamp(String count) {
        return stamps.get(row(count));
    }

    /** What was last heard of a count under these numbers; null if nothing is known. */
    @Nullable
    LastVerdict find(String count, Limit limit) {
        int first = row(count) * PLACES;
        for (int i = first; i < first + PLACES; i++) {
            LastVerdict heard = table.get(i);
            if (heard != null && heard.isOf(count, limit)) {
                return heard;
            }
        }
        return null;
    }

    /** Keeps what was said to a demand, unless something was forgotten since the stamp was taken. */
    void keep(LastVerdict heard, Demand demand, int stamp) {
        int row = row(heard.count());
        synchronized (locks[row % LOCKS]) {
            if (stamps.get(row) != stamp) {
                return;
            }
            int place = place(row * PLACES, heard);
            LastVerdict before = table.get(place);
            boolean same = before != null && before.isOf(heard.count(), heard.limit());
            table.set(place, same && before != null ? heard.after(before, demand) : heard);
        }
    }

    /** Forgets a count under whatever numbers, and what is under way about it. */
    void forget(String count) {
        int row = row(count);
        synchronized (locks[row % LOCKS]) {
            stamps.incrementAndGet(row);
            for (int i = row * PLACES; i < (row + 1) * PLACES; i++) {
                LastVerdict heard = table.get(i);
                if (heard != null && heard.count().equals(count)) {
                    table.set(i, null);
                }
            }
        }
    }

    /** Forgets everything, and what is under way. */
    void clear() {
        for (int row = 0; row < ROWS; row++) {
            synchronized (locks[row % LOCKS]) {
                stamps.incrementAndGet(row);
                for (int i = row * PLACES; i < (row + 1) * PLACES; i++) {
                    table.set(i, null);
                }
            }
        }
    }

    /** For tests: how many are remembered. */
    int size() {
        int size = 0;
        for (int i = 0; i < MOST; i++) {
            size += table.get(i) == null ? 0 : 1;
        }
        return size;
    }

    /** Its own place, else a free one, else one that refuses nobody any more, else any. */
    private int place(int first, LastVerdict heard) {
        int free = -1;
        int idle = -1;
        for (int i = first; i < first + PLACES; i++) {
            LastVerdict there = table.get(i);
            if (there == null) {
                free = i;
            } else if (there.isOf(heard.count(), heard.limit())) {
                return i;
            } else if (!there.refuses(heard.nanos())) {
                idle = i;
            }
        }
        return free >= 0
                ? free
                : idle >= 0 ? idle : first + ThreadLocalRandom.current().nextInt(PLACES);
    }

    private static int row(String count) {
        int mixed = count.hashCode() * 0x9E3779B9;
        return (mixed ^ (mixed >>> 15)) & (ROWS - 1);
    }
}
