package io.sluice.runtime.durable;

import io.sluice.core.spi.Engine;
import io.sluice.core.spi.KeyMatch;
import io.sluice.core.time.Clock;
import io.sluice.rules.caller.SubjectKeys;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.source.RuleListener;
import io.sluice.rules.yaml.DocumentError;
import io.sluice.runtime.erasure.ErasableStore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Preserves the counts of durable limits when the shared store loses its data. Thread-safe. Decisions never wait for it.
 *
 * <p>Each process sums up its charges, appends changed sums to a journal every {@link #FLUSH}, and sends them to the center every
 * {@link #SEND}. A store has a mark as long as it has its data. If a process finds a new mark, or a mark whose store has not been
 * restored yet, durable limits follow their failure policy until
 *
 * <ol>
 *   <li>one process has charged the new store with the sums of the center, which are fixed by the first request for them, and
 *   <li>this process has charged the rest of its sums, which it had not sent until then.
 * </ol>
 *
 * <p>Both are charged once, even if several processes repeat them. Without a center, a process restores only its own sums. A process that
 * has not read its journal does not know its earlier charges, so durable limits also follow their failure policy until it has.
 */
public final class DurableQuotas implements AutoCloseable {

    /** The reason why durable limits do not decide although the store does. */
    public static final String NOT_RESTORED = StoreMark.NOT_RESTORED;

    /** The interval at which changed sums are written to disk. A process that is killed loses at most the charges since the last write. */
    public static final Duration FLUSH = Duration.ofMillis(100);

    /** The interval at which changed sums are sent and the mark of the store is read. */
    public static final Duration SEND = Duration.ofSeconds(1);

    private static final Logger LOG = LoggerFactory.getLogger(DurableQuotas.class);

    /** The delay after which a process that waits for another process checks again. */
    private static final Duration AGAIN = Duration.ofMillis(100);

    private static final Duration KEPT_AFTER_END = Duration.ofDays(1);

    /** The time limit for closing, because a disk or a center may hang. */
    private static final Duration CLOSING_MAY_TAKE = Duration.ofSeconds(3);

    /** The time limit for the first check. If the store takes longer, the process starts without it. */
    private static final Duration FIRST_CHECK_MAY_TAKE = Duration.ofSeconds(1);

    private static final String UNREAD = "the journal in the directory of --data has not been read yet";

    private static final Duration ERASING_MAY_TAKE = Duration.ofMinutes(1);

    private final DurableLimits limits;
    private final DurableSums sums;
    private final DurableJournal journal;
    private final JournalWriter writer;
    private final SumSender sender;
    private final StoreRecovery recovery;
    private final Engine engine;
    private final StoreTime time;
    private final ScheduledExecutorService asking = DurableThreads.daemon("sluice-durable");
    private final ScheduledExecutorService sending = DurableThreads.daemon("sluice-durable-center");

    /** Completes when durable limits decide for the first time, or when there is nothing to wait for. */
    private final CompletableFuture<Void> firstCheck = new CompletableFuture<>();

    private final AtomicBoolean woken = new AtomicBoolean();
    private final AtomicBoolean looksAgain = new AtomicBoolean();

    /**
     * True once there was something to erase. Never reset: an attempt that failed has emptied the memory, but not the disk or the center.
     */
    private volatile boolean used;

    private DurableQuotas(
            MarkedStore store,
            Supplier<RuleSet> rules,
            @Nullable Path folder,
            Optional<DurableLine> center,
            Clock clock,
            int most,
            DurableJournal.Disk disk) {
        this.journal = DurableJournal.in(folder, disk);
        DurableSums.Reader onDisk = DurableSums.Reader.disk();
        DurableSums.Reader inCenter = DurableSums.Reader.center();
        this.limits = new DurableLimits(rules);
        this.sums = new DurableSums(most, center.isPresent() ? List.of(onDisk, inCenter) : List.of(onDisk));
        this.writer = new JournalWriter(journal, sums, onDisk, clock);
        this.sender = new SumSender(center, sums, inCenter, clock);
        this.time = new StoreTime(clock);
        this.recovery = new StoreRecovery(store, sums, journal, sender, time, clock);
        this.engine = new DurableEngine(store.engine(), limits, sums, recovery, time);
    }

    /**
     * Creates the quotas. No thread runs yet, and no disk is touched.
     *
     * @param data the directory of the process; without one, the journal is in memory
     * @param center the connection to the center; empty if there is none
     */
    public static DurableQuotas of(
            MarkedStore store,
            Supplier<RuleSet> rules,
            Optional<Path> data,
            Optional<DurableLine> center,
            Clock clock) {
        return of(store, rules, data, center, clock, DurableSums.MOST, DurableJournal.DISK);
    }

    static DurableQuotas of(
            MarkedStore store,
            Supplier<RuleSet> rules,
            Optional<Path> data,
            Optional<DurableLine> center,
            Clock clock,
            int most,
            DurableJournal.Disk disk) {
        Path folder = data.map(each -> each.resolve("durable")).orElse(null);
        return new DurableQuotas(store, rules, folder, center, clock, most, disk);
    }

    /** Returns the engine of the store, which notes its charges to durable limits. */
    public Engine engine() {
        return engine;
    }

    /**
     * Starts to read the journal, to write, to send, and to watch the store. The future completes after the first check of the store, or
     * when the disk hangs or the store does not answer in time.
     */
    public CompletableFuture<Void> start() {
        CompletableFuture<Void> read = open();
        writer.start(FLUSH);
        var unused = asking.scheduleWithFixedDelay(
                () -> DurableThreads.quietly(this::check), 0, SEND.toMillis(), TimeUnit.MILLISECONDS);
        var unused2 = sending.scheduleWithFixedDelay(
                () -> DurableThreads.quietly(this::tidy), SEND.toMillis(), SEND.toMillis(), TimeUnit.MILLISECONDS);
        CompletableFuture<Void> looked = read.thenCompose(opened -> {
            wake();
            return firstCheck.copy().completeOnTimeout(null, FIRST_CHECK_MAY_TAKE.toMillis(), TimeUnit.MILLISECONDS);
        });
        return CompletableFuture.anyOf(firstCheck, looked).thenAccept(any -> {});
    }

    /** Starts to read the journal. The future completes when reading has ended. */
    CompletableFuture<Void> open() {
        writer.open();
        return writer.opened();
    }

    /** Must be called when the state of the store changes, before it decides again. */
    void storeChanged(boolean available) {
        if (available) {
            wake();
        } else {
            recovery.lost();
        }
    }

    /** Returns the listener that must be notified when the rules in force change. */
    public RuleListener rules() {
        return new RuleListener() {
            @Override
            public void changed(RuleSet rules) {
                wake();
            }

            @Override
            public void refused(List<DocumentError> errors) {
                // The rules in force stay.
            }
        };
    }

    /** Schedules a check. A busy thread checks once, however often it was woken in the meantime. */
    private void wake() {
        if (woken.compareAndSet(false, true)) {
            later(Duration.ZERO, () -> {
                woken.set(false);
                check();
            });
        }
    }

    private void later(Duration delay, Runnable task) {
        try {
            var unused = asking.schedule(() -> DurableThreads.quietly(task), delay.toMillis(), TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            // The thread is closed.
        }
    }

    /** Returns whether durable limits can decide: there are none, or the store has all charges of earlier stores. */
    public boolean isRestored() {
        return recovery.restored() != null || !limits.exist();
    }

    /** Returns the number of sums of this process. */
    public int size() {
        return sums.size();
    }

    /** Returns the number of charges that are not durable, because there are too many counts or the key is too long. */
    public long leftOut() {
        return sums.leftOut();
    }

    /** Returns the number of sums that the center does not have yet; 0 without a center. */
    public int unsent() {
        return sender.waiting();
    }

    /** Returns the number of sums that the center refuses, so that only this process can restore them. */
    public int refused() {
        return sender.refused();
    }

    /** Returns the number of sums that are not on disk yet. Without a directory, this is the number since the last flush. */
    public int unwritten() {
        return writer.waiting();
    }

    /** Returns the problems, as sentences. */
    public List<String> findings() {
        List<String> all = new ArrayList<>();
        String why = journal.isOpen() ? recovery.problem() : UNREAD;
        if (why != null && limits.exist()) {
            all.add("durable limits are not restored, on_failure decides them: " + why);
        }
        writer.problem().ifPresent(all::add);
        if (sender.refused() > 0) {
            all.add("the center refuses " + sender.refused()
                    + " sums of durable limits, which only this node can restore; use the same version for both");
        }
        if (sums.leftOut() > 0) {
            all.add("more than " + DurableSums.MOST + " durable counts, or keys of more than "
                    + DurableCount.LONGEST_KEY + " characters; the others are lost with the store");
        }
        return all;
    }

    /** Starts to write changed sums, as the process does every {@link #FLUSH}. Does not wait. */
    void write() {
        writer.begin();
    }

    /** Writes changed sums. */
    void flush(Duration mayTake) throws IOException {
        writer.flushed(mayTake);
    }

    /** Sends changed sums. */
    void send() throws IOException {
        sender.send();
    }

    /** Sends changed sums, and drops windows that ended long ago. Logs a disk that hangs. */
    void tidy() {
        Optional<String> unused = writer.problem();
        if (time.isKnown() && sums.removeEnded(time.nowMicros() - TimeUnit.MICROSECONDS.convert(KEPT_AFTER_END)) > 0) {
            writer.rewriteSoon();
        }
        try {
            send();
        } catch (IOException e) {
            // Unsent sums stay, and other parts log that the center is lost.
            LOG.debug("durable sums were not sent", e);
        }
    }

    /** Reads the mark of the store, and restores the store if necessary. Before the journal is read, the missing sums are unknown. */
    void check() {
        boolean read = journal.isOpen();
        if (!limits.exist() || (read ? recovery.look() : writer.hangs())) {
            firstCheck.complete(null);
        } else if (recovery.awaitsOther() && looksAgain.compareAndSet(false, true)) {
            later(AGAIN, () -> {
                looksAgain.set(false);
                check();
            });
        }
        recovery.askTime();
    }

    /** Returns the store that removes a subject from the sums of this process and of the center. */
    public ErasableStore erasable() {
        return new ErasableStore() {
            @Override
            public String kind() {
                return "counts";
            }

            @Override
            public Attempt erase(String erasure, SubjectKeys keys) throws IOException {
                return DurableQuotas.this.erase(keys.match(), ERASING_MAY_TAKE);
            }
        };
    }

    ErasableStore.Attempt erase(KeyMatch match, Duration mayTake) throws IOException {
        IOException unread = null;
        try {
            writer.requireRead(mayTake);
        } catch (IOException e) {
            unread = e;
        }
        used = used || unread != null || limits.exist() || sums.size() > 0;
        if (!used) {
            return ErasableStore.Attempt.done(0);
        }
        long here = sums.remove(match);
        if (here > 0) {
            writer.rewriteSoon();
        }
        long there = sender.erase(match);
        if (unread != null) {
            // The journal may have sums that are not erased.
            throw unread;
        }
        // Last, because the other steps do not need the disk, which may hang. This also writes the sums of an earlier
        // failed attempt.
        writer.flushed(mayTake);
        return ErasableStore.Attempt.done(Math.max(here, there));
    }

    /** Sends and writes changed sums, but does not wait long for the center or the disk. */
    @Override
    public void close() {
        close(CLOSING_MAY_TAKE);
    }

    /** Closes the quotas. Waits at most this time for the center, and again for the disk. */
    void close(Duration mayTake) {
        asking.shutdownNow();
        if (!sending.isShutdown()) {
            var unused = sending.submit(() -> DurableThreads.quietly(this::tidy));
            sending.shutdown();
        }
        if (!DurableThreads.await(sending, mayTake)) {
            List<Runnable> unused = sending.shutdownNow();
        }
        // Last: a closed journal must not have less than the center.
        writer.close(mayTake);
    }
}
