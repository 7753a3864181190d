package io.sluice.core;

import io.sluice.core.spi.Charge;
import io.sluice.core.spi.CountKey;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Who waits for which count, and whose turn it is to ask. Safe for use by many threads.
 *
 * <p>A waiter stands in one line at a time: that of the count that keeps it longest. It cannot pass before that count lets it,
 * so nothing that happens to its other counts matters meanwhile, and a waiter whose own count is exhausted does not block those
 * who only share another count with it. When its turn comes and it finds that another of its counts keeps it, it changes lines;
 * lines are in the order of arrival, so it loses no place by that.
 *
 * <p><b>No wake-up is lost.</b> Whoever gives back first counts it in {@code givenBack} and then looks whether anybody waits;
 * whoever comes to wait is first counted in {@code waiting} and then looks whether something was given back since it asked. One
 * of them sees the other. In a line, {@code askNow} remembers what happens while the first is asking.
 *
 * <p><b>One asker, no recursion.</b> {@link #serve} lets one thread at a time ask for a line; others, and the same thread when
 * an answered caller gives back at once, leave a note that it has to look again. So a thousand waiters that each wake the next
 * need no deeper a stack than one. Nobody is asked for or answered under the lock.
 */
final class WaitQueues {

    private final Map<CountKey, WaitQueue> lines = new HashMap<>();
    private final AtomicLong tickets = new AtomicLong();
    private final AtomicLong givenBack = new AtomicLong();
    private final AtomicInteger waiting = new AtomicInteger();
    private final Consumer<Waiter<?>> ask;

    /**
     * No lines yet.
     *
     * @param ask puts the question of a waiter whose turn it is; {@link #keep} or {@link #leaveAnswered} must follow
     */
    WaitQueues(Consumer<Waiter<?>> ask) {
        this.ask = ask;
    }

    long nextTicket() {
        return tickets.getAndIncrement();
    }

    /** To be read before a question and handed to {@link #keep} with the answer. */
    long stamp() {
        return givenBack.get();
    }

    /** Queues a newcomer behind those who wait for one of its counts; false if nobody does. */
    boolean joinBehind(Waiter<?> waiter) {
        if (waiting.get() == 0) {
            return false;
        }
        List<CountKey> counts = waiter.counts();
        WaitQueue line = null;
        synchronized (this) {
            for (int i = 0; i < counts.size() && line == null; i++) {
                line = lines.get(counts.get(i));
            }
            if (line == null) {
                return false;
            }
            add(line, waiter);
            line.askNow |= line.isFirst(waiter);
        }
        serve(line);
        return true;
    }

    /** Lets a waiter that was refused wait for a count; false if its time is up. */
    boolean keep(Waiter<?> waiter, CountKey count, long stamp) {
        WaitQueue from;
        WaitQueue to;
        synchronized (this) {
            from = waiter.line;
            if (waiter.timeUp) {
                return false;
            }
            if (from != null && from.count.equals(count)) {
                from.asking = null;
                from.askNow |= waiter.rung;
                to = from;
            } else {
                if (from != null) {
                    from.asking = null;
                    remove(from, waiter);
                }
                to = lines.computeIfAbsent(count, WaitQueue::new);
                add(to, waiter);
                to.askNow |= to.isFirst(waiter) && (waiter.rung || givenBack.get() != stamp);
            }
        }
        if (from != null && from != to) {
            serve(from);
        }
        serve(to);
        return true;
    }

    /** Takes a waiter that was answered for good out of its line; the next is not asked for before {@link #serve}. */
    @Nullable
    WaitQueue leaveAnswered(Waiter<?> waiter) {
        synchronized (this) {
            WaitQueue line = waiter.line;
            if (line != null) {
                line.asking = null;
                remove(line, waiter);
            }
            return line;
        }
    }

    /** Takes a waiter that waits no longer out of its line; false if it stands in none or has just asked. */
    boolean leave(Waiter<?> waiter) {
        WaitQueue line;
        synchronized (this) {
            line = waiter.line;
            if (line == null || line.asking == waiter) {
                return false;
            }
            remove(line, waiter);
        }
        serve(line);
        return true;
    }

    /** The time of a waiter is up: the first may ask once more. True if it has left its line without. */
    boolean timeUp(Waiter<?> waiter) {
        WaitQueue line;
        synchronized (this) {
            waiter.timeUp = true;
            line = waiter.line;
            if (line == null || line.asking == waiter) {
                return false;
            }
            line.askNow |= line.isFirst(waiter);
        }
        serve(line);
        return leave(waiter);
    }

    /** The moment has come at which a waiter was told to ask again. */
    void ring(Waiter<?> waiter) {
        WaitQueue line;
        synchronized (this) {
            waiter.rung = true;
            line = waiter.line;
            if (line == null) {
                return;
            }
            line.askNow |= line.isFirst(waiter) && line.asking != waiter;
        }
        serve(line);
    }

    /** Permits came back: the first of each line concerned asks. */
    void freed(List<Charge> charges) {
        givenBack.incrementAndGet();
        for (int i = 0; i < charges.size() && waiting.get() > 0; i++) {
            CountKey count = CountKey.of(charges.get(i).limit(), charges.get(i).key());
            WaitQueue line;
            synchronized (this) {
                line = lines.get(count);
                if (line == null) {
                    continue;
                }
                line.askNow = true;
            }
            serve(line);
        }
    }

    /** Lets the first of every line ask. */
    void askAll() {
        List<WaitQueue> all;
        synchronized (this) {
            all = List.copyOf(lines.values());
            all.forEach(line -> line.askNow = true);
        }
        all.forEach(this::serve);
    }

    /** Lets the first of a line ask if it is to, and then the next. */
    void serve(@Nullable WaitQueue line) {
        if (line == null || line.visits.getAndIncrement() > 0) {
            return;
        }
        int seen = 1;
        do {
            for (Waiter<?> next = next(line); next != null; next = next(line)) {
                ask.accept(next);
            }
            seen = line.visits.addAndGet(-seen);
        } while (seen != 0);
    }

    /** How many stand in lines. */
    int waiting() {
        return waiting.get();
    }

    /** How many lines there are. */
    synchronized int size() {
        return lines.size();
    }

    private synchronized @Nullable Waiter<?> next(WaitQueue line) {
        while (line.askNow && line.asking == null && !line.waiters.isEmpty()) {
            Waiter<?> first = line.waiters.first();
            WaitQueue other = lineOfEarlier(first);
            if (other == null) {
                line.askNow = false;
                line.asking = first;
                first.rung = false;
                return first;
            }
            remove(line, first);
            add(other, first);
        }
        return null;
    }

    /** Another line of a waiter's counts in which somebody stands who came earlier. */
    private @Nullable WaitQueue lineOfEarlier(Waiter<?> waiter) {
        if (lines.size() > 1) {
            for (CountKey count : waiter.counts()) {
                WaitQueue other = lines.get(count);
                if (other != null && other.waiters.first().ticket < waiter.ticket) {
                    return other;
                }
            }
        }
        return null;
    }

    private void add(WaitQueue line, Waiter<?> waiter) {
        line.waiters.add(waiter);
        waiter.line = line;
        waiting.incrementAndGet();
    }

    private void remove(WaitQueue line, Waiter<?> waiter) {
        // Whoever is first now may want less than the one before, or may never have asked.
        line.askNow |= line.isFirst(waiter);
        line.waiters.remove(waiter);
        waiter.line = null;
        waiting.decrementAndGet();
        if (line.waiters.isEmpty()) {
            lines.remove(line.count);
        }
    }
}
