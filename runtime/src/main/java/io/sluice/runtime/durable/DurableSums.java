package io.sluice.runtime.durable;

import io.sluice.core.spi.KeyMatch;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;

/**
 * The sums of this process, in memory. Bounded: a count beyond {@link #MOST} is not durable, and a metric says how many charges that
 * concerned. Sums of earlier stores and runs do not take its place, up to {@link #TIMES} as many. Thread-safe. A charge costs one look-up
 * and two additions.
 */
final class DurableSums {

    /** The most counts of a process that are durable. */
    static final int MOST = 100_000;

    private static final int TIMES = 4;

    private final String source;
    private final int most;
    private final ConcurrentHashMap<Place, Sum> sums = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<Life, AtomicInteger> sizes = new ConcurrentHashMap<>();
    private final Queue<Place> changed = new ConcurrentLinkedQueue<>();
    private final LongAdder left = new LongAdder();

    DurableSums(String source, int most) {
        this.source = source;
        this.most = most;
    }

    /** What one run charged to one store. */
    private record Life(String source, String store) {}

    /** A count in a store. */
    private record Place(Life life, DurableCount count) {}

    private static final class Sum {

        private final AtomicLong used = new AtomicLong();
        private final AtomicLong changes = new AtomicLong();
        private final AtomicBoolean queued = new AtomicBoolean();
    }

    /** Adds permits that were charged, or takes some away that were given back. */
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
        if (sum.queued.compareAndSet(false, true)) {
            changed.add(place);
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

    /** Puts a sum of an earlier run into place. */
    void load(DurableSum known) {
        Sum sum = sumOf(new Place(new Life(known.source(), known.store()), known.count()));
        sum.used.set(known.used());
        sum.changes.set(known.changes());
    }

    /** Returns the sums that have changed since the last call. */
    List<DurableSum> changed() {
        List<DurableSum> all = new ArrayList<>();
        for (Place place = changed.poll(); place != null; place = changed.poll()) {
            Sum sum = sums.get(place);
            if (sum != null) {
                // Later changes queue the place again.
                sum.queued.set(false);
                all.add(sum(place, sum));
            }
        }
        return all;
    }

    /** Returns all sums. */
    List<DurableSum> all() {
        List<DurableSum> all = new ArrayList<>(sums.size());
        sums.forEach((place, sum) -> all.add(sum(place, sum)));
        return all;
    }

    private DurableSum sum(Place place, Sum sum) {
        // The number of changes is read first: if both change meanwhile, the sum is sent again under a higher number.
        long changes = Math.max(1, sum.changes.get());
        long used = Math.max(-DurableSum.MOST, Math.min(DurableSum.MOST, sum.used.get()));
        return new DurableSum(place.life.source, place.life.store, place.count(), used, changes);
    }

    /** Removes windows that ended before this time. Returns how many. */
    int removeEnded(long beforeMicros) {
        return remove(count -> count.endMicros() < beforeMicros).size();
    }

    /** Removes the counts of a subject. Returns what was removed. */
    List<DurableSum> remove(KeyMatch match) {
        return remove(count -> match.matches(count.key()));
    }

    private List<DurableSum> remove(Predicate<DurableCount> test) {
        List<DurableSum> removed = new ArrayList<>();
        sums.forEach((place, sum) -> {
            if (test.test(place.count()) && sums.remove(place, sum)) {
                int unused = size(place.life).decrementAndGet();
                removed.add(sum(place, sum));
            }
        });
        return removed;
    }

    int size() {
        return sums.size();
    }

    /** Returns how many charges were not recorded, because there were too many counts or the key was too long. */
    long leftOut() {
        return left.sum();
    }
}
