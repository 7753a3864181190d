package io.sluice.runtime.durable;

import io.sluice.core.spi.KeyMatch;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;

/**
 * The sums of this process, in memory. Bounded: a count beyond {@link #MOST} is not durable, and a metric has the number of its charges.
 * Sums of earlier stores and runs do not use up this bound; the total may be {@link #TIMES} times as large. Thread-safe. A charge costs
 * one look-up and two additions.
 *
 * <p>The disk and the center each have a queue of sums that they do not have yet. A sum is in a queue once, however often it changes, so
 * a disk or a center that hangs costs no more memory than the sums themselves.
 */
final class DurableSums {

    /** The maximum number of durable counts of a process. */
    static final int MOST = 100_000;

    private static final int TIMES = 4;

    private final int most;
    private final List<Reader> readers;
    private final int allBits;
    private final ConcurrentHashMap<Place, Sum> sums = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<Life, AtomicInteger> sizes = new ConcurrentHashMap<>();
    private final LongAdder left = new LongAdder();

    /** The source of new charges. Empty until the journal was read; nothing is charged before. */
    private volatile String source = "";

    /** Creates an empty set of sums. The changed sums must be taken for each of the readers. */
    DurableSums(int most, List<Reader> readers) {
        this.most = most;
        this.readers = List.copyOf(readers);
        this.allBits = readers.stream().mapToInt(reader -> reader.bit).sum();
    }

    /** The disk or the center, and the sums that it does not have yet. */
    static final class Reader {

        private final int bit;
        private final Queue<Place> changed = new ConcurrentLinkedQueue<>();

        /** The sums that it does not accept. They are not queued until all sums are queued. */
        private final Set<Place> refused = ConcurrentHashMap.newKeySet();

        private Reader(int bit) {
            this.bit = bit;
        }

        static Reader disk() {
            return new Reader(1);
        }

        static Reader center() {
            return new Reader(2);
        }
    }

    /** The charges of one run to one store. */
    private record Life(String source, String store) {}

    /** A count in a store. */
    private record Place(Life life, DurableCount count) {

        static Place of(DurableSum sum) {
            return new Place(new Life(sum.source(), sum.store()), sum.count());
        }
    }

    private static final class Sum {

        private final AtomicLong used = new AtomicLong();
        private final AtomicLong changes = new AtomicLong();

        /** The bits of the readers that have this sum in their queue. */
        private final AtomicInteger queued = new AtomicInteger();
    }

    /** Adds charged permits, or subtracts permits that were given back, as a negative number. */
    void add(String store, DurableCount count, long permits) {
        Place place = new Place(new Life(source, store), count);
        Sum sum = sums.get(place);
        if (sum == null) {
            if (size(place.life).get() >= most || sums.size() >= (long) TIMES * most) {
                left.increment();
                return;
            }
            sum = sumOf(place);
        }
        sum.used.addAndGet(permits);
        sum.changes.incrementAndGet();
        if (sum.queued.get() != allBits) {
            readers.forEach(reader -> queue(reader, place));
        }
    }

    private void queue(Reader reader, Place place) {
        Sum sum = sums.get(place);
        if (sum != null
                && !reader.refused.contains(place)
                && (sum.queued.getAndUpdate(bits -> bits | reader.bit) & reader.bit) == 0) {
            reader.changed.add(place);
        }
    }

    private Sum sumOf(Place place) {
        return sums.computeIfAbsent(place, each -> {
            int unused = size(place.life).incrementAndGet();
            return new Sum();
        });
    }

    private AtomicInteger size(Life life) {
        return sizes.computeIfAbsent(life, each -> new AtomicInteger());
    }

    /** Records a charge to a count that cannot be durable. */
    void leaveOut() {
        left.increment();
    }

    /**
     * Loads the sums of earlier runs.
     *
     * @param current the source of new charges
     * @param from the reader that has the sums
     */
    void begin(String current, List<DurableSum> earlier, Reader from) {
        earlier.forEach(this::load);
        readers.stream().filter(reader -> !reader.equals(from)).forEach(reader -> putBack(reader, earlier));
        source = current;
    }

    private void load(DurableSum known) {
        Sum sum = sumOf(Place.of(known));
        sum.used.set(known.used());
        sum.changes.set(known.changes());
    }

    /** Returns some sums that have changed since the reader took them. One thread at a time may take for a reader. */
    List<DurableSum> take(Reader reader, int atMost) {
        List<DurableSum> some = new ArrayList<>();
        while (some.size() < atMost) {
            Place place = reader.changed.poll();
            if (place == null) {
                break;
            }
            Sum sum = sums.get(place);
            if (sum != null) {
                // Later changes queue the place again.
                int unused = sum.queued.getAndUpdate(bits -> bits & ~reader.bit);
                if (!reader.refused.contains(place)) {
                    some.add(sum(place, sum));
                }
            }
        }
        return some;
    }

    /** Queues sums that the reader took but did not store. Sums that were removed in the meantime are left out. */
    void putBack(Reader reader, List<DurableSum> some) {
        some.forEach(sum -> queue(reader, Place.of(sum)));
    }

    /** Records that the reader does not accept a sum. */
    void refuse(Reader reader, DurableSum sum) {
        Place place = Place.of(sum);
        reader.refused.add(place);
        if (!sums.containsKey(place)) {
            // The sum was removed in the meantime.
            reader.refused.remove(place);
        }
    }

    /** Returns the number of sums that the reader does not accept. */
    int refused(Reader reader) {
        return reader.refused.size();
    }

    /** Queues all sums, also those that the reader did not accept. */
    void putAll(Reader reader) {
        reader.refused.clear();
        sums.keySet().forEach(place -> queue(reader, place));
    }

    /** Returns the number of sums that the reader has to take. */
    int waiting(Reader reader) {
        return reader.changed.size();
    }

    /** Returns all sums. */
    List<DurableSum> all() {
        List<DurableSum> all = new ArrayList<>(sums.size());
        sums.forEach((place, sum) -> all.add(sum(place, sum)));
        return all;
    }

    /** Returns any of the counts. */
    Optional<DurableCount> anyCount() {
        return sums.keySet().stream().map(Place::count).findFirst();
    }

    private static DurableSum sum(Place place, Sum sum) {
        // The number of changes is read first: if both change meanwhile, the sum is sent again under a higher number.
        long changes = Math.max(1, sum.changes.get());
        long used = Math.max(-DurableSum.MOST, Math.min(DurableSum.MOST, sum.used.get()));
        return new DurableSum(place.life.source, place.life.store, place.count(), used, changes);
    }

    /** Removes windows that ended before this time. Returns their number. */
    long removeEnded(long beforeMicros) {
        return remove(count -> count.endMicros() < beforeMicros);
    }

    /** Removes the counts of a subject. Returns their number. */
    long remove(KeyMatch match) {
        return remove(count -> match.matches(count.key()));
    }

    private long remove(Predicate<DurableCount> test) {
        LongAdder removed = new LongAdder();
        sums.forEach((place, sum) -> {
            if (test.test(place.count()) && sums.remove(place, sum)) {
                int unused = size(place.life).decrementAndGet();
                removed.increment();
            }
        });
        if (removed.sum() > 0) {
            readers.forEach(reader -> {
                reader.changed.removeIf(place -> !sums.containsKey(place));
                reader.refused.removeIf(place -> !sums.containsKey(place));
            });
        }
        return removed.sum();
    }

    int size() {
        return sums.size();
    }

    /** Returns the number of charges that were not recorded, because there were too many counts or the key was too long. */
    long leftOut() {
        return left.sum();
    }
}
