package io.sluice.rules.source;

import io.sluice.core.time.Clock;
import io.sluice.rules.adjust.Adjustments;
import io.sluice.rules.changes.RuleChange;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.snapshot.RuleStamp;
import io.sluice.rules.source.KeptFile.Reading;
import io.sluice.rules.yaml.DocumentError;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the last good set of another source on disk, and starts with it if the source has none, because its file is bad or its
 * store is unavailable. As soon as the source has a set, that set is in force. Thread-safe.
 *
 * <p>The source assigns the versions. With {@link #last}, a source that counts its own versions continues after a restart. The set is kept
 * in {@code kept-rules.json}, which is replaced atomically. A digest in the file reveals damage and careless edits, but does not stop a
 * forger: users who may write to the folder are trusted with the rules. Disk problems never affect decisions: they are logged once, {@link
 * #trouble} reports them, and writing is retried every minute.
 *
 * <p>A folder belongs to one node. If several nodes share a folder, each start finds the set of the last writer, never a mixture.
 */
public final class KeptRuleSource implements RuleSource {

    private static final System.Logger LOG = System.getLogger(KeptRuleSource.class.getName());
    private static final Duration RETRY = Duration.ofMinutes(1);
    private static final Duration STOP_MAY_TAKE = Duration.ofSeconds(5);

    private final RuleSource source;
    private final KeptFile file;
    private final Clock clock;
    private final Executor writing;
    private final Runnable stopWriting;
    private final PublishedRules rules = new PublishedRules();
    private final AtomicReference<@Nullable RuleSet> unwritten = new AtomicReference<>();
    private final List<DocumentError> unusable = new ArrayList<>();
    private volatile boolean restored;
    private volatile boolean closed;
    private volatile @Nullable String trouble;

    /** Used only by the writing thread. */
    private boolean retrying;

    private KeptRuleSource(RuleSource source, KeptFile file, Clock clock, Executor writing, Runnable stopWriting) {
        this.source = source;
        this.file = file;
        this.clock = clock;
        this.writing = writing;
        this.stopWriting = stopWriting;
    }

    /** Returns the stamp of the last set kept in a folder; empty if there is none. */
    public static Optional<RuleStamp> last(Path folder) {
        return new KeptFile(folder).stamp();
    }

    /**
     * Keeps the sets of a source. Closing the returned source also closes the given source. If the given source has no set now, the kept
     * set is in force when this method returns. To give the source time, wait for its {@link #first} before calling this method.
     *
     * @param folder the folder, created if it does not exist
     */
    public static KeptRuleSource over(RuleSource source, Path folder, Clock clock) {
        ExecutorService thread = Executors.newSingleThreadExecutor(task -> {
            Thread writer = new Thread(task, "sluice-kept-rules");
            writer.setDaemon(true);
            return writer;
        });
        return over(source, folder, clock, thread, () -> stop(thread));
    }

    static KeptRuleSource over(RuleSource source, Path folder, Clock clock, Executor writing, Runnable stopWriting) {
        KeptRuleSource kept = new KeptRuleSource(source, new KeptFile(folder), clock, writing, stopWriting);
        kept.file.sweep();
        if (!source.hasRules()) {
            kept.restore();
        }
        source.listen(kept.new FromSource());
        return kept;
    }

    @Override
    public RuleSet latest() {
        return rules.latest();
    }

    @Override
    public CompletionStage<RuleSet> first() {
        return rules.first();
    }

    /** Returns the errors of the newest set of the source and, as long as no set is in force, the errors of the kept set. */
    @Override
    public List<DocumentError> refused() {
        return rules.refused();
    }

    @Override
    public void listen(RuleListener listener) {
        rules.listen(listener);
    }

    @Override
    public Adjustments adjustments() {
        return source.adjustments();
    }

    @Override
    public List<String> unfitAdjustments() {
        return source.unfitAdjustments();
    }

    /** Returns whether the kept set is in force because the source has no set yet. */
    public boolean isRestored() {
        return restored;
    }

    /** Returns the reason why the set in force is not on disk; empty if it is on disk or about to be written. */
    public Optional<String> trouble() {
        return Optional.ofNullable(trouble);
    }

    /** Waits briefly for a write in progress. */
    @Override
    public void close() {
        closed = true;
        source.close();
        rules.close();
        stopWriting.run();
    }

    private void restore() {
        Reading reading = file.read();
        if (reading instanceof Reading.Found found) {
            restored = true;
            rules.publish(found.rules());
            List<DocumentError> errors = source.refused();
            String why = errors.isEmpty() ? "the rule source has no rules yet" : "rules refused: " + inShort(errors);
            LOG.log(
                    Level.WARNING,
                    () -> why + "; starting with the rules kept from the last run, version "
                            + found.rules().version() + " in " + file.path());
        } else if (reading instanceof Reading.Unusable bad) {
            unusable.add(bad.error());
            rules.refuse(unusable);
            LOG.log(Level.WARNING, () -> "the rules kept from the last run cannot be used: " + bad.error());
        }
    }

    private static String inShort(List<DocumentError> errors) {
        return errors.get(0) + (errors.size() == 1 ? "" : " (and " + (errors.size() - 1) + " more)");
    }

    /** Listens to the source. Calls arrive one at a time. */
    private final class FromSource implements RuleListener {

        @Override
        public void changed(RuleSet set) {
            unusable.clear();
            boolean newer = restored || !PublishedRules.isSameRelease(latest(), set);
            if (restored) {
                restored = false;
                LOG.log(
                        Level.INFO,
                        () -> "the rule source has rules now, version " + set.version() + " replaces the kept rules: "
                                + RuleChange.summary(RuleChange.between(latest(), set)));
            }
            if (newer) {
                rules.publish(set);
                unwritten.set(set);
                writing.execute(KeptRuleSource.this::write);
            } else {
                // Adjustments and trials are not kept: they may have ended at the next start.
                rules.amend(set);
            }
        }

        @Override
        public void refused(List<DocumentError> errors) {
            List<DocumentError> all = new ArrayList<>(errors);
            all.addAll(unusable);
            rules.refuse(all);
        }
    }

    private void write() {
        RuleSet set = unwritten.get();
        if (set == null || set.version() == 0) {
            return;
        }
        try {
            if (!file.holds(set.stamp())) {
                file.write(set);
            }
            unwritten.compareAndSet(set, null);
            if (trouble != null) {
                trouble = null;
                LOG.log(Level.INFO, () -> "rules are saved again for the next start in " + file.path());
            }
        } catch (IOException | RuntimeException e) {
            failed(e);
        }
    }

    private void failed(Exception e) {
        String now = file.path() + ": " + e.getClass().getSimpleName() + ": " + e.getMessage();
        if (trouble == null) {
            LOG.log(Level.WARNING, () -> "rules are in force but could not be saved for the next start: " + now);
        }
        trouble = now;
        if (!retrying) {
            retrying = true;
            clock.at(clock.nanoTime() + RETRY.toNanos(), () -> {
                if (!closed) {
                    writing.execute(this::retry);
                }
            });
        }
    }

    private void retry() {
        retrying = false;
        write();
    }

    private static void stop(ExecutorService thread) {
        thread.shutdown();
        try {
            thread.awaitTermination(STOP_MAY_TAKE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
