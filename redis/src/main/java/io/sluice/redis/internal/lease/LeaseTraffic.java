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
import org.jspecify.annotations.Nullable;

/**
 * What goes to and fro between the keys of a process and the store: requests and their answers, and the leases that are ended, by a
 * sweep or at the close. Safe for use by many threads.
 */
final class LeaseTraffic implements AutoCloseable {

    /** Decides for the callers who have waited for a lease; it does not throw. */
    @FunctionalInterface
    interface Counter {
        Answer decide(LeasedKey key, Ask ask, long nowNanos);
    }

    private static final long IDLE_KEY_NANOS = Duration.ofSeconds(1).toNanos();

    /** A request that is not answered by then is taken for lost. */
    private static final long LOST_NANOS = Duration.ofSeconds(1).toNanos();

    /** In how many calls a sweep ends leases: whoever asks for something shall not wait behind those of thousands of keys. */
    private static final int MOST_ENDS = 256;

    private static final Duration LAST_WORDS = Duration.ofSeconds(1);

    private final LeaseStore store;
    private final Clock clock;
    private final LeaseTable table;
    private final Counter counter;
    private final ExecutorService sweeper;
    private final LeaseSweep sweep;

    /** Those of which something is at hand, under way or to be told. */
    private final Set<LeasedKey> active = ConcurrentHashMap.newKeySet();

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

    /** How many leased permits can be spent at the moment. */
    long outstanding() {
        long now = clock.nanoTime();
        return active.stream().mapToLong(key -> key.atHand(now)).sum();
    }

    Executor afterArrivals() {
        return store.afterArrivals();
    }

    /** Sees to it that keys are forgotten some time. */
    void watch() {
        sweep.start();
    }

    /** A request that is to be sent; null if none is due. */
    @Nullable
    LeaseInquiry inquire(LeasedKey key, Demand demand, long nowNanos) {
        if (closed.get() || !key.isDue(nowNanos)) {
            return null;
        }
        String id = ids + Long.toString(nextId.getAndIncrement(), Character.MAX_RADIX);
        return key.ask(demand, demand.lease().most(demand.limit()), id, nowNanos);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // what comes of it is taken in
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
        // All have their share before the first is told: it would come back for more before the last is served.
        List<Answer> answers = new ArrayList<>(waiters.size());
        for (LeaseInquiry.Waiter waiter : waiters) {
            answers.add(counter.decide(key, waiter.ask(), now));
        }
        for (int i = 0; i < answers.size(); i++) {
            waiters.get(i).tell(answers.get(i));
        }
    }

    /** Ends what is over or idle, forgets keys that nobody asks for; whether there is anything left to sweep. */
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

    /** Whether the store was told of something, which it is only if it may. */
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
            // Somebody may have asked since.
            if (!key.isQuiet()) {
                active.add(key);
            }
        }
        return !due.isEmpty();
    }

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
        return told.handle((done, failure) -> {
            key.told(ended, failure == null, clock.nanoTime());
            return null;
        });
    }

    /** Ends all leases, for which the store has a second. */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        sweep.close();
        sweeper.shutdown();
        long now = clock.nanoTime();
        List<CompletableFuture<?>> ends = new ArrayList<>();
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
            // What was not ended ages in the store.
        }
        lost.forEach(Runnable::run);
    }
}
