package io.sluice.runtime.durable;

import io.sluice.core.time.Clock;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes changed sums to the journal. Thread-safe.
 *
 * <p><b>Why one thread writes, and nobody interrupts it.</b> A disk may hang: a network file system without its server, a volume that is
 * being moved. Then a write does not return, and no signal ends it. Everybody who holds a lock meanwhile, or needs one, hangs too, and so
 * does whoever interrupts the writing thread, because an interrupt closes the file and waits for the write. So the others hand over what
 * they want, and wait for a limited time at most.
 */
final class JournalWriter {

    private static final Logger LOG = LoggerFactory.getLogger(JournalWriter.class);

    /** How soon a journal that could not be written is tried again. */
    private static final Duration TRY_AGAIN = Duration.ofSeconds(5);

    /** A disk that takes longer is said to hang. */
    private static final Duration HANGS = Duration.ofSeconds(5);

    private static final String RISK = "a node that ends now loses what the center does not have";

    private final DurableJournal journal;
    private final DurableSums sums;
    private final DurableSums.Reader reader;
    private final Clock clock;
    private final ScheduledExecutorService thread = DurableThreads.daemon("sluice-durable-journal");
    private volatile boolean writes = true;
    private volatile int underWay;

    /** The time at which the attempt began that is under way; null if there is none. */
    private volatile @Nullable Long busySinceNanos;

    /** Whether all sums have to be written, because some were not, or some are no longer there. */
    private volatile boolean rewrites = true;

    private volatile boolean toldThatItHangs;

    /** Used by the thread that writes. */
    private long failedNanos;

    JournalWriter(DurableJournal journal, DurableSums sums, DurableSums.Reader reader, Clock clock) {
        this.journal = journal;
        this.sums = sums;
        this.reader = reader;
        this.clock = clock;
    }

    /** Begins to write what has changed, again and again. */
    void start(Duration every) {
        var unused = thread.scheduleWithFixedDelay(
                () -> DurableThreads.quietly(this::write), every.toMillis(), every.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Returns how many sums the disk does not have yet. One that has changed while it is written counts twice. */
    int waiting() {
        return sums.waiting(reader) + underWay;
    }

    /** Returns the problem as a sentence. Logs it if the disk hangs, once. Never waits. */
    Optional<String> problem() {
        Long since = busySinceNanos;
        if (since != null && clock.nanoTime() - since > HANGS.toNanos()) {
            if (!toldThatItHangs) {
                toldThatItHangs = true;
                LOG.warn("the disk with the journal of durable limits does not answer; {}", RISK);
            }
            return Optional.of("the disk with the journal of durable limits does not answer");
        }
        return writes ? journal.problem() : Optional.of("the journal of durable limits cannot be written");
    }

    /** Makes the next attempt write all sums, because some were removed. */
    void rewriteSoon() {
        rewrites = true;
    }

    /** Begins to write what has changed. Does not wait. */
    void begin() {
        thread.execute(() -> DurableThreads.quietly(this::write));
    }

    /** Writes what has changed, but does not try all the time to write all sums to a disk that is full. */
    private void write() {
        if (writes || clock.nanoTime() - failedNanos > TRY_AGAIN.toNanos()) {
            flush();
        }
    }

    private void flush() {
        try {
            flushOrFail();
        } catch (IOException e) {
            // It is logged, and the next attempt writes all sums.
        }
    }

    private void flushOrFail() throws IOException {
        busySinceNanos = clock.nanoTime();
        List<DurableSum> changed = sums.take(reader, Integer.MAX_VALUE);
        underWay = changed.size();
        try {
            if (rewrites || journal.isLarge()) {
                // Sums that are removed from now on need another attempt.
                rewrites = false;
                journal.replace(sums.all());
            } else {
                journal.append(changed);
            }
            wrote();
        } catch (IOException e) {
            rewrites = true;
            sums.putBack(reader, changed);
            failed(e);
            throw e;
        } finally {
            underWay = 0;
            busySinceNanos = null;
        }
    }

    private void wrote() {
        if (!writes || toldThatItHangs) {
            LOG.info("the journal of durable limits is written again");
        }
        writes = true;
        toldThatItHangs = false;
    }

    private void failed(IOException e) {
        if (writes) {
            LOG.warn("the journal of durable limits cannot be written; {}: {}", RISK, e.toString());
        }
        failedNanos = clock.nanoTime();
        writes = false;
        toldThatItHangs = false;
    }

    /**
     * Waits until everything that was charged before is on disk.
     *
     * @throws IOException if it cannot be written, or the disk does not answer in time
     */
    void flushed(Duration mayTake) throws IOException {
        Future<Boolean> flushed;
        try {
            flushed = thread.submit(() -> {
                flushOrFail();
                return true;
            });
        } catch (RejectedExecutionException e) {
            throw new IOException("the journal is closed", e);
        }
        try {
            boolean unused = flushed.get(mayTake.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw new IOException("the journal cannot be written", e.getCause());
        } catch (TimeoutException e) {
            // It does not wait in the queue any longer. If it has begun, it goes on.
            boolean unused = flushed.cancel(false);
            throw new IOException("the disk does not answer", e);
        } catch (InterruptedException e) {
            boolean unused = flushed.cancel(false);
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }

    /** Writes what has changed and closes the journal, but does not wait long for it. */
    void close(Duration mayTake) {
        if (!thread.isShutdown()) {
            var unused = thread.submit(() -> DurableThreads.quietly(this::finish));
            thread.shutdown();
        }
        DurableThreads.await(thread, mayTake);
    }

    private void finish() {
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
