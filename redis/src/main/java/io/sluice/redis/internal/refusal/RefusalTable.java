package io.sluice.redis.internal.refusal;

import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Demand;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The last verdicts on counts; never more than {@link #MOST}. Thread-safe; reading takes no lock.
 *
 * <p>The table consists of rows with a few places each, and each count belongs to one row. If a row is full, a random entry of it is
 * replaced. So during a flood of keys, other keys sometimes lose their place, but no key can hold a place, or push out a chosen other key,
 * for long. A key that lost its place is refused by Redis again.
 *
 * <p>A library cache such as Caffeine could bound the size, but it has no stamp for a key that is absent.
 *
 * <p>A forgotten entry must not come back with an answer that was pending meanwhile. So a request first takes a stamp of the row, and its
 * answer refuses no demands if permits were returned to a count of the row since.
 */
public final class RefusalTable {

    /** The maximum number of entries; a full table takes about 20 MB. */
    static final int MOST = 65_536;

    private static final int PLACES = 8;
    private static final int ROWS = MOST / PLACES;
    private static final int LOCKS = 64;

    /** The amount that clearing a row adds to its stamp. A return adds one, and no row has this many returns during one request. */
    private static final int CLEARED = 1 << 20;

    private final AtomicReferenceArray<@Nullable LastVerdict> table = new AtomicReferenceArray<>(MOST);
    private final AtomicIntegerArray stamps = new AtomicIntegerArray(ROWS);
    private final Object[] locks = new Object[LOCKS];

    public RefusalTable() {
        for (int i = 0; i < LOCKS; i++) {
            locks[i] = new Object();
        }
    }

    /** Returns the stamp to take before Redis is asked and to pass in when the answer is kept. */
    int stamp(String count) {
        return stamps.get(row(count));
    }

    /** Returns the last verdict on a count under these numbers; null if there is none. */
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

    /**
     * Keeps the verdict on a demand. If permits were returned to a count of its row since the stamp was taken, it is kept as a verdict
     * {@link LastVerdict#afterReturn after a return}; if the row was cleared, it is not kept.
     */
    void keep(LastVerdict heard, Demand demand, int stamp) {
        int row = row(heard.count());
        synchronized (locks[row % LOCKS]) {
            int changes = stamps.get(row) - stamp;
            if (changes < 0 || changes >= CLEARED) {
                return;
            }
            LastVerdict known = changes == 0 ? heard : heard.afterReturn();
            int place = place(row * PLACES, known);
            LastVerdict before = table.get(place);
            boolean same = before != null && before.isOf(known.count(), known.limit());
            table.set(place, same && before != null ? known.after(before, demand) : known);
        }
    }

    /** Forgets the refusals of a count under all numbers, including refusals in pending answers. */
    void forget(String count) {
        int row = row(count);
        synchronized (locks[row % LOCKS]) {
            stamps.incrementAndGet(row);
            for (int i = row * PLACES; i < (row + 1) * PLACES; i++) {
                LastVerdict heard = table.get(i);
                if (heard != null && heard.count().equals(count)) {
                    table.set(i, heard.afterReturn());
                }
            }
        }
    }

    /** Forgets all verdicts, including pending answers. */
    void clear() {
        for (int row = 0; row < ROWS; row++) {
            synchronized (locks[row % LOCKS]) {
                stamps.addAndGet(row, CLEARED);
                for (int i = row * PLACES; i < (row + 1) * PLACES; i++) {
                    table.set(i, null);
                }
            }
        }
    }

    /** Forgets the counts whose names match, and pending answers on any count. */
    void forgetIf(Predicate<String> counts) {
        for (int row = 0; row < ROWS; row++) {
            synchronized (locks[row % LOCKS]) {
                stamps.addAndGet(row, CLEARED);
                for (int i = row * PLACES; i < (row + 1) * PLACES; i++) {
                    LastVerdict heard = table.get(i);
                    if (heard != null && counts.test(heard.count())) {
                        table.set(i, null);
                    }
                }
            }
        }
    }

    /** Returns the number of entries. For tests. */
    int size() {
        int size = 0;
        for (int i = 0; i < MOST; i++) {
            size += table.get(i) == null ? 0 : 1;
        }
        return size;
    }

    /**
     * Returns the entry's own place, otherwise a free place, otherwise a place whose entry no longer refuses any demand, otherwise any
     * place.
     */
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
