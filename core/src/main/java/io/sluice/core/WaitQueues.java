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
 * The queues of waiting callers, one for each count, and the order in which the callers ask. Thread-safe.
 *
 * <p>A waiter stands in one queue at a time: the queue of the count that delays it longest. It cannot pass before that count
 * lets it, so changes to its other counts do not matter meanwhile, and a waiter whose own count is exhausted does not block
 * waiters that only share another count with it. If its turn comes and another of its counts delays it, it moves to that queue.
 * Queues are in order of arrival, so it does not lose its place.
 *
 * <p><b>No wake-up is lost.</b> A thread that returns permits first increments {@code givenBack} and then checks whether
 * callers are waiting. A caller that starts to wait first increments {@code waiting} and then checks whether permits were
 * returned since it asked. One of the two sees the other. Within a queue, {@code askNow} records changes while the first waiter
 * is asking.
 *
 * <p><b>One asker, no recursion.</b> {@link #serve} lets one thread at a time ask for a queue. Other threads, and the same
 * thread when an answered caller returns permits immediately, leave a note that the queue must be checked again. So a thousand
 * waiters that each wake the next waiter need no deeper stack than a single waiter. No ask is made, and no caller is answered,
 * while the lock is held.
 */
final class WaitQueues {

    private final Map<CountKey, WaitQueue> lines = new HashMap<>();
    private final AtomicLong tickets = new AtomicLong();
    private final AtomicLong givenBack = new AtomicLong();
    private final AtomicInteger waiting = new AtomicInteger();
    private final Consumer<Waiter<?>> ask;

    /**
     * Creates an empty set of queues.
     *
     * @param ask asks the engine for a waiter whose turn it is; a call of {@link #keep} or {@link #leaveAnswered} must follow
     */
    WaitQueues(Consumer<Waiter<?>> ask) {
        this.ask = ask;
    }

    long nextTicket() {
        return tickets.getAndIncrement();
    }

    /** Returns a stamp. Read it before an ask and pass it to {@link #keep} with the answer. */
    long stamp() {
        return givenBack.get();
    }

    /** Queues a newcomer behind the callers that wait for one of its counts. Returns false if there are no such callers. */
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

    /** Lets a refused waiter wait for a count. Returns false if its time has passed. */
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

    /** Removes a waiter that has its final answer from its queue. The next waiter asks only when {@link #serve} is called. */
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

    /**
     * Removes a waiter that has stopped waiting from its queue. Returns false if it is in no queue or its ask is in progress.
     */
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

    /**
     * Marks that a waiter's time has passed. If it is first in its queue, it asks once more. Returns true if it has left the
     * queue without an answer.
     */
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

    /** Called at the moment at which a waiter should ask again. */
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

    /** Called when permits were returned: the first waiter of each affected queue asks. */
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

    /** Makes the first waiter of every queue ask. */
    void askAll() {
        List<WaitQueue> all;
        synchronized (this) {
            all = List.copyOf(lines.values());
            all.forEach(line -> line.askNow = true);
        }
        all.forEach(this::serve);
    }

    /** Makes the first waiter of a queue ask if it is due, and then the next waiters. */
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

    /** Returns the number of callers in the queues. */
    int waiting() {
        return waiting.get();
    }

    /** Returns the number of queues. */
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

    /** Returns another queue, for one of the waiter's counts, in which an earlier caller stands. */
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
        // The new first waiter may want fewer permits than the previous first waiter, or may never have asked.
        line.askNow |= line.isFirst(waiter);
        line.waiters.remove(waiter);
        waiter.line = null;
        waiting.decrementAndGet();
        if (line.waiters.isEmpty()) {
            lines.remove(line.count);
        }
    }
}
