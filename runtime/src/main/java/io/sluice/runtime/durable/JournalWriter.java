package io.sluice.runtime.durable;

import io.sluice.core.time.Clock;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens the journal, and writes changed sums to it. Thread-safe.
 *
 * <p><b>Why one thread reads and writes, and is never interrupted.</b> A disk may hang: a network file system without its server, a
 * volume that is being moved. A write then does not return, and no signal ends it. Every thread that holds or needs a lock meanwhile also
 * hangs, and so does a thread that interrupts the writing thread, because an interrupt closes the file and waits for the write. So the
 * other threads hand over their tasks, and wait for a limited time at most.
 */
final class JournalWriter {

    private static final Logger LOG = LoggerFactory.getLogger(JournalWriter.class);

    /** The delay before the next attempt to write a journal that could not be written. */
    private static final Duration TRY_AGAIN = Duration.ofSeconds(5);

    /** The time without an answer after which the disk is reported as hanging. */
    private static final Duration HANGS = Duration.ofSeconds(5);

    /** The writing thread may also have got no CPU time; this class cannot distinguish the two cases. */
    private static final String NO_ANSWER =
            "the disk with the journal of durable limits does not answer, or this machine is overloaded";

    private static final String RISK = "a node that ends now loses what the center does not have";

    private static final String UNREAD = "on_failure decides them until it is read";

    private final DurableJournal journal;
    private final DurableSums sums;
    private final DurableSums.Reader reader;
    private final Clock clock;
    private final ScheduledExecutorService thread = DurableThreads.daemon("sluice-durable-journal");
    private final AtomicBoolean opening = new AtomicBoolean();
    private final CompletableFuture<Void> opened = new CompletableFuture<>();
    private volatile boolean writes = true;
    private volatile int underWay;

    /** The start of the running attempt; null if there is none. */
    private volatile @Nullable Long busySinceNanos;

    /** True if all sums have to be written, because some were not written or some were removed. */
    private volatile boolean rewrites = true;

    /** Guarded by this. No thread writes while holding the lock. */
    private boolean toldThatItHangs;

    /** The time of the last attempt to open the journal. Used by the thread that writes, like the next field. */
    private long openedNanos;

    private long failedNanos;

    JournalWriter(DurableJournal journal, DurableSums sums, DurableSums.Reader reader, Clock clock) {
        this.journal = journal;
        this.sums = sums;
        this.reader = reader;
        this.clock = clock;
    }

    /** Starts to open the journal, whose sums are then among those of this process. Must be called before any other method. */
    void open() {
        if (opening.compareAndSet(false, true)) {
            thread.execute(() -> DurableThreads.quietly(this::tryToOpen));
        }
    }

    /** Returns a future that completes when the first attempt to open the journal has ended. */
    CompletableFuture<Void> opened() {
        return opened.copy();
    }

    /**
     * Waits until the journal was read. Opens it again if it could not be used, because the process that held it may have ended.
     *
     * @throws IOException if the journal cannot be used, or the disk does not answer in time. A journal of another process is no failure
     */
    void requireRead(Duration mayTake) throws IOException {
        await(mayTake, () -> {
            if (!isUsable()) {
                tryToOpen();
            }
            requireOpen();
            if (journal.isUnusable()) {
                throw new IOException("the journal cannot be used");
            }
        });
    }

    private void requireOpen() throws IOException {
        if (!journal.isOpen()) {
            throw new IOException("the journal has not been read");
        }
    }

    /** A journal that cannot be opened is retried like a journal that cannot be written. */
    private void tryToOpen() {
        busySinceNanos = clock.nanoTime();
        try {
            journal.open(
                    () -> busySinceNanos = clock.nanoTime(), (source, earlier) -> sums.begin(source, earlier, reader));
            rewrites = true;
        } finally {
            openedNanos = clock.nanoTime();
            if (answered()) {
                LOG.info("the disk with the journal of durable limits answers again");
            }
            // A process starts even if this fails. Last: a thread that waited for the journal must not see that the
            // attempt is still running.
            opened.complete(null);
        }
    }

    /** Returns whether the journal was read and can be written. */
    private boolean isUsable() {
        return journal.isOpen() && journal.problem().isEmpty();
    }

    /** Starts to write changed sums at an interval. */
    void start(Duration every) {
        var unused = thread.scheduleWithFixedDelay(
                () -> DurableThreads.quietly(this::write), every.toMillis(), every.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Returns the number of sums that are not on disk yet. A sum that has changed while it is written counts twice. */
    int waiting() {
        return sums.waiting(reader) + underWay;
    }

    /** Returns the problem as a sentence. Logs once that the disk hangs. Never waits. */
    Optional<String> problem() {
        if (tellIfItHangs()) {
            return Optional.of(NO_ANSWER);
        }
        return writes ? journal.problem() : Optional.of("the journal of durable limits cannot be written");
    }

    private synchronized boolean tellIfItHangs() {
        boolean hangs = hangs();
        if (hangs && !toldThatItHangs) {
            toldThatItHangs = true;
            LOG.warn("{}; {}", NO_ANSWER, journal.isOpen() ? RISK : UNREAD);
        }
        return hangs;
    }

    /** Records that the disk has answered. Returns whether it was logged that the disk hangs. */
    private synchronized boolean answered() {
        boolean told = toldThatItHangs;
        busySinceNanos = null;
        toldThatItHangs = false;
        return told;
    }

    /** Returns whether the disk has not answered for some time. Never waits. */
    boolean hangs() {
        Long since = busySinceNanos;
        return since != null && clock.nanoTime() - since > HANGS.toNanos();
    }

    /** Makes the next attempt write all sums, because some were removed. */
    void rewriteSoon() {
        rewrites = true;
    }

    /** Starts to write changed sums. Does not wait. */
    void begin() {
        thread.execute(() -> DurableThreads.quietly(this::write));
    }

    /** Writes changed sums, but does not continually try to write all sums to a disk that is full. */
    private void write() {
        if (!isUsable() && clock.nanoTime() - openedNanos > TRY_AGAIN.toNanos()) {
            tryToOpen();
        }
        if (writes || clock.nanoTime() - failedNanos > TRY_AGAIN.toNanos()) {
            flush();
        }
    }

    private void flush() {
        try {
            flushOrFail();
        } catch (IOException | RuntimeException e) {
            // The failure is logged, and the next attempt writes all sums.
        }
    }

    private void flushOrFail() throws IOException {
        requireOpen();
        busySinceNanos = clock.nanoTime();
        List<DurableSum> changed = sums.take(reader, Integer.MAX_VALUE);
        underWay = changed.size();
        boolean wrote = false;
        try {
            if (rewrites || journal.isLarge()) {
                // Sums that are removed from now on need another rewrite.
                rewrites = false;
                journal.replace(sums.all());
            } else {
                journal.append(changed);
            }
            wrote = true;
            wrote(answered());
        } catch (IOException | RuntimeException | Error e) {
            failed(e);
            throw e;
        } finally {
            if (!wrote) {
                rewrites = true;
                sums.putBack(reader, changed);
            }
            underWay = 0;
        }
    }

    private void wrote(boolean hung) {
        if (!writes || hung) {
            LOG.info("the journal of durable limits is written again");
        }
        writes = true;
    }

    private void failed(Throwable e) {
        boolean unused = answered();
        if (writes) {
            LOG.warn("the journal of durable limits cannot be written; {}: {}", RISK, e.toString());
        }
        failedNanos = clock.nanoTime();
        writes = false;
    }

    /**
     * Waits until all earlier charges are on disk.
     *
     * @throws IOException if the journal cannot be written, or the disk does not answer in time
     */
    void flushed(Duration mayTake) throws IOException {
        await(mayTake, this::flushOrFail);
    }

    /** A task of the thread. */
    private interface Task {

        void run() throws IOException;
    }

    /** Waits until the thread has run a task. */
    private void await(Duration mayTake, Task task) throws IOException {
        Future<Boolean> done;
        try {
            done = thread.submit(() -> {
                task.run();
                return true;
            });
        } catch (RejectedExecutionException e) {
            throw new IOException("the journal is closed", e);
        }
        try {
            boolean unused = done.get(mayTake.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw new IOException("the journal cannot be used", e.getCause());
        } catch (TimeoutException e) {
            // A queued task is cancelled. A started task continues.
            boolean unused = done.cancel(false);
            throw new IOException("the disk does not answer", e);
        } catch (InterruptedException e) {
            boolean unused = done.cancel(false);
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }

    /** Writes changed sums and closes the journal, but does not wait long for it. */
    void close(Duration mayTake) {
        if (!thread.isShutdown()) {
            var unused = thread.submit(() -> DurableThreads.quietly(this::finish));
            thread.shutdown();
        }
        DurableThreads.await(thread, mayTake);
    }

    private void finish() {
        if (!journal.isOpen()) {
            return;
        }
        if (!isUsable()) {
            // The sums are in memory only. This is the last opportunity to save them.
            tryToOpen();
        }
        flush();
        try {
            if (writes) {
                journal.complete();
            }
        } catch (IOException e) {
            // The next run uses another source.
            LOG.debug("the journal of durable limits was not completed", e);
        }
        journal.close();
    }
}
