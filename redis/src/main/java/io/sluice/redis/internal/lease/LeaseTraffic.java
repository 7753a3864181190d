package io.sluice.redis.internal.lease;

import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Demand;
import io.sluice.core.time.Clock;
import io.sluice.redis.internal.wire.EndedLease;
import io.sluice.redis.internal.wire.LeaseReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The traffic between the keys of a process and the store: lease requests, their answers, and leases that are ended by a sweep or
 * on close. Thread-safe.
 */
final class LeaseTraffic implements AutoCloseable {

    /** Decides for callers that have waited for a lease; never throws. */
    @FunctionalInterface
    interface Counter {
        Answer decide(LeasedKey key, Ask ask, long nowNanos);
    }

    private static final long IDLE_KEY_NANOS = Duration.ofSeconds(1).toNanos();

    /** The time after which a request without an answer counts as lost. */
    private static final long LOST_NANOS = Duration.ofSeconds(1).toNanos();

    /**
     * The maximum number of calls with which one sweep ends leases, so that requests do not queue behind the leases of thousands of keys.
     */
    private static final int MOST_ENDS = 256;

    private static final Duration LAST_WORDS = Duration.ofSeconds(1);

    private final LeaseStore store;
    private final Clock clock;
    private final LeaseTable table;
    private final Counter counter;
    private final ExecutorService sweeper;
    private final LeaseSweep sweep;

    /** The keys that hold permits, have a pending request, or have ended leases to report. */
    private final Set<LeasedKey> active = ConcurrentHashMap.newKeySet();

    /** The reports of ended leases that the store has not confirmed yet, by their numbers. */
    private final Map<Long, CompletableFuture<Void>> reports = new ConcurrentHashMap<>();

    private final AtomicLong nextReport = new AtomicLong();

    private final String ids =
            Long.toString(UUID.randomUUID().getMostSignificantBits() >>> 1, Character.MAX_RADIX) + "-";
    private final AtomicLong nextId = new AtomicLong();
    private final AtomicBoolean closed = new AtomicBoolean();
    private long sweptKeysNanos;

    LeaseTraffic(LeaseStore store, Clock clock, LeaseTable table, Counter counter, ExecutorService sweeper) {
        this.store = store;
        this.clock = clock;
        this.table = table;
        this.counter = counter;
        this.sweeper = sweeper;
        this.sweep = new LeaseSweep(clock, sweeper, this::sweep);
        this.sweptKeysNanos = clock.nanoTime();
    }

    boolean isClosed() {
        return closed.get();
    }

    /** Returns the number of leased permits that can be spent at the moment. */
    long outstanding() {
        long now = clock.nanoTime();
        return active.stream().mapToLong(key -> key.atHand(now)).sum();
    }

    Executor afterArrivals() {
        return store.afterArrivals();
    }

    /** Starts the sweep, so that idle keys are removed eventually. */
    void watch() {
        sweep.start();
    }

    /** Creates a request to be sent, or returns null if none is due. */
    @Nullable
    LeaseInquiry inquire(LeasedKey key, Demand demand, long nowNanos) {
        if (closed.get() || !key.isDue(nowNanos)) {
            return null;
        }
        String id = ids + Long.toString(nextId.getAndIncrement(), Character.MAX_RADIX);
        return key.ask(demand, demand.lease().most(demand.limit()), id, nowNanos);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the result is processed in the callback
    void send(LeasedKey key, LeaseInquiry inquiry) {
        active.add(key);
        sweep.start();
        CompletionStage<LeaseReply> answer;
        try {
            answer = store.request(inquiry.request);
        } catch (RuntimeException e) {
            answer = CompletableFuture.failedFuture(e);
        }
        answer.whenComplete((heard, failure) ->
                answered(key, inquiry, heard == null ? new LeaseReply.Unknown(String.valueOf(failure), true) : heard));
    }

    private void answered(LeasedKey key, LeaseInquiry inquiry, LeaseReply answer) {
        long now = clock.nanoTime();
        List<LeaseInquiry.Waiter> waiters = key.answered(inquiry, answer, now);
        active.add(key);
        if (closed.get()) {
            end(key, key.leave(now)).thenRun(() -> inquiry.done.complete(null));
        } else {
            sweep.start();
            inquiry.done.complete(null);
        }
        // Serve all waiters before completing the first: its caller could ask for more before the last waiter is
        // served.
        List<Answer> answers = new ArrayList<>(waiters.size());
        for (LeaseInquiry.Waiter waiter : waiters) {
            answers.add(counter.decide(key, waiter.ask(), now));
        }
        for (int i = 0; i < answers.size(); i++) {
            waiters.get(i).tell(answers.get(i));
        }
    }

    /** Ends expired and idle leases and removes idle keys. Returns whether there are keys left to sweep. */
    private boolean sweep() {
        long now = clock.nanoTime();
        int ends = 0;
        for (LeasedKey key : active) {
            ends += sweep(key, ends < MOST_ENDS, now) ? 1 : 0;
        }
        if (now - sweptKeysNanos >= IDLE_KEY_NANOS) {
            sweptKeysNanos = now;
            table.dropIf(key -> key.leaveIfIdle(IDLE_KEY_NANOS, now));
        }
        return table.size() > 0 || !active.isEmpty();
    }

    /** Sweeps one key. Reports ended leases to the store only if {@code mayTell} is true, and returns whether it reported any. */
    private boolean sweep(LeasedKey key, boolean mayTell, long nowNanos) {
        LeaseInquiry inquiry = key.underWay();
        if (inquiry != null && nowNanos - inquiry.askedNanos >= LOST_NANOS) {
            answered(key, inquiry, new LeaseReply.Unknown("lost", true));
        }
        key.sweep(nowNanos);
        List<EndedLease> due = mayTell ? key.due(nowNanos) : List.of();
        end(key, due);
        if (key.isQuiet()) {
            active.remove(key);
            // A request may have arrived meanwhile.
            if (!key.isQuiet()) {
                active.add(key);
            }
        }
        return !due.isEmpty();
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the result is processed in the callback
    private CompletionStage<Void> end(LeasedKey key, List<EndedLease> ended) {
        if (ended.isEmpty()) {
            return CompletableFuture.completedStage(null);
        }
        CompletionStage<Void> told;
        try {
            told = store.end(key.limit, key.key, ended);
        } catch (RuntimeException e) {
            told = CompletableFuture.failedStage(e);
        }
        CompletableFuture<Void> report = new CompletableFuture<>();
        long number = nextReport.getAndIncrement();
        reports.put(number, report);
        told.whenComplete((done, failure) -> {
            key.told(ended, failure == null, clock.nanoTime());
            reports.remove(number);
            report.complete(null);
        });
        return report;
    }

    /**
     * Ends the leases of keys that match and drops these keys. The sweep ends a lease that is granted later because its request was already
     * pending.
     */
    @SuppressWarnings("FutureReturnValueIgnored") // ends that the store does not confirm are reported again
    void forget(Predicate<LeasedKey> keys) {
        long now = clock.nanoTime();
        table.dropIf(key -> {
            if (!keys.test(key)) {
                return false;
            }
            end(key, key.leave(now));
            active.add(key);
            return true;
        });
        sweep.start();
    }

    /** Ends all leases; the store has one second to confirm. */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        sweep.close();
        sweeper.shutdown();
        long now = clock.nanoTime();
        // A sweep may have sent a report just now: without waiting for it, the engine would close during this report.
        List<CompletableFuture<?>> ends = new ArrayList<>(reports.values());
        List<Runnable> lost = new ArrayList<>();
        for (LeasedKey key : active) {
            ends.add(end(key, key.leave(now)).toCompletableFuture());
            LeaseInquiry inquiry = key.underWay();
            if (inquiry != null) {
                ends.add(inquiry.done);
                lost.add(() -> answered(key, inquiry, new LeaseReply.Unknown("closed", true)));
            }
        }
        try {
            CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new))
                    .get(LAST_WORDS.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            // Leases that were not ended expire in the store.
        }
        lost.forEach(Runnable::run);
    }
}
