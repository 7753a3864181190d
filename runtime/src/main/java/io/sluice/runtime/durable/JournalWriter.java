package io.sluice.runtime.durable;

import io.sluice.core.spi.KeyMatch;
import io.sluice.core.time.Clock;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes changed sums to the journal. Blocks. Thread-safe. */
final class JournalWriter {

    private static final Logger LOG = LoggerFactory.getLogger(JournalWriter.class);

    /** How soon a journal that could not be written is tried again. */
    private static final Duration TRY_AGAIN = Duration.ofSeconds(5);

    private final DurableJournal journal;
    private final DurableSums sums;
    private final SumSender sender;
    private final Clock clock;
    private volatile boolean writes = true;
    private volatile long failedNanos;

    JournalWriter(DurableJournal journal, DurableSums sums, SumSender sender, Clock clock) {
        this.journal = journal;
        this.sums = sums;
        this.sender = sender;
        this.clock = clock;
    }

    /** Returns whether the last attempt succeeded. */
    boolean writes() {
        return writes;
    }

    /** Writes what has changed, but does not try all the time to write all sums to a disk that is full. */
    void write() {
        if (writes || clock.nanoTime() - failedNanos > TRY_AGAIN.toNanos()) {
            flush();
        } else {
            sender.add(sums.changed());
        }
    }

    /** Writes what has changed. When it returns, everything that was charged before is on disk, if that can be written. */
    synchronized void flush() {
        List<DurableSum> changed = sums.changed();
        sender.add(changed);
        try {
            if (!writes || journal.isLarge()) {
                journal.replace(sums.all());
            } else {
                journal.append(changed);
            }
            written(null);
        } catch (IOException e) {
            written(e);
        }
    }

    /** Writes all sums, after the start or because some were removed. */
    synchronized void compact() {
        try {
            replace();
        } catch (IOException e) {
            // It is known, and the next attempt writes all sums.
        }
    }

    private void replace() throws IOException {
        try {
            journal.replace(sums.all());
            written(null);
        } catch (IOException e) {
            written(e);
            throw e;
        }
    }

    private void written(@Nullable IOException failure) {
        if (failure != null && writes) {
            LOG.warn(
                    "the journal of durable limits cannot be written, the sums are in memory only: {}",
                    failure.toString());
        }
        failedNanos = clock.nanoTime();
        writes = failure == null;
    }

    /** Records that the store has everything, even if the disk does not learn it: the next attempt to write has all of it. */
    synchronized void done(String mark) {
        try {
            journal.done(mark);
        } catch (IOException e) {
            written(e);
        }
    }

    /** Removes a subject from memory and from the disk. The lock keeps what was taken before from being written afterwards. */
    synchronized long erase(KeyMatch match) throws IOException {
        List<DurableSum> removed = sums.remove(match);
        sender.remove(removed);
        // A journal that could not be replaced last time still has what is no longer in memory.
        if (!removed.isEmpty() || !writes) {
            replace();
        }
        return removed.size();
    }

    /** Writes what has changed, and closes the journal. */
    synchronized void finish() {
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
