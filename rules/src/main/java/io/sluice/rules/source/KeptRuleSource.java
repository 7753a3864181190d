package io.sluice.rules.source;

import io.sluice.core.time.Clock;
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
 * Keeps the last good set of another source on disk, and begins with that where the source has none: its file is bad, its
 * store is away. As soon as the source has a set, that is in force. Safe for use by many threads.
 *
 * <p>Versions are those of the source; {@link #last} lets one that numbers its own go on after a restart. The set is kept in
 * {@code kept-rules.json} and replaced as a whole. A digest in it shows damage and careless edits, not a forger: whoever may write
 * to the folder is trusted with the rules. Nothing that goes wrong with the disk touches decisions: it is logged once,
 * {@link #trouble} says it, and writing is tried again every minute.
 *
 * <p>A folder is for one node. If several share one, each start finds the set of whoever wrote last, never a mixture.
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

    /** Touched only by the writing thread. */
    private boolean retrying;

    private KeptRuleSource(RuleSource source, KeptFile file, Clock clock, Executor writing, Runnable stopWriting) {
        this.source = source;
        this.file = file;
        this.clock = clock;
        this.writing = writing;
        this.stopWriting = stopWriting;
    }

    /** What was kept last in a folder, by what it says of itself; empty if nothing was. */
    public static Optional<RuleStamp> last(Path folder) {
        return new KeptFile(folder).stamp();
    }

    /**
     * Keeps the sets of a source, which is closed with this one. If it has none now, the kept one is in force when this returns:
     * who wants to give the source time awaits its {@link #first} before.
     *
     * @param folder made if it is not there
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

    /** What is wrong with the newest set of the source and, while there is none in force, with the kept one. */
    @Override
    public List<DocumentError> refused() {
        return rules.refused();
    }

    @Override
    public void listen(RuleListener listener) {
        rules.listen(listener);
    }

    /** Whether the set in force is the kept one, because the source has none yet. */
    public boolean isRestored() {
        return restored;
    }

    /** Why the set in force is not on disk; empty if it is, or is about to be. */
    public Optional<String> trouble() {
        return Optional.ofNullable(trouble);
    }

    /** Waits a moment for what is being written. */
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
            String why = errors.isEmpty() ? "the source of rules has none yet" : "rules refused: " + inShort(errors);
            LOG.log(
                    Level.WARNING,
                    () -> why + "; starting with the set kept from the last run, version "
                            + found.rules().version() + " in " + file.path());
        } else if (reading instanceof Reading.Unusable bad) {
            unusable.add(bad.error());
            rules.refuse(unusable);
            LOG.log(Level.WARNING, () -> "the set kept from the last run cannot be used: " + bad.error());
        }
    }

    private static String inShort(List<DocumentError> errors) {
        return errors.get(0) + (errors.size() == 1 ? "" : " (and " + (errors.size() - 1) + " more)");
    }

    /** What the source says, one thing at a time. */
    private final class FromSource implements RuleListener {

        @Override
        public void changed(RuleSet set) {
            unusable.clear();
            if (restored) {
                restored = false;
                LOG.log(
                        Level.INFO,
                        () -> "the source of rules has a set, version " + set.version()
                                + " is in force instead of the kept one: "
                                + RuleChange.summary(RuleChange.between(latest(), set)));
            }
            rules.publish(set);
            unwritten.set(set);
            writing.execute(KeptRuleSource.this::write);
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
                LOG.log(Level.INFO, () -> "rules are kept again in " + file.path());
            }
        } catch (IOException | RuntimeException e) {
            failed(e);
        }
    }

    private void failed(Exception e) {
        String now = file.path() + ": " + e.getClass().getSimpleName() + ": " + e.getMessage();
        if (trouble == null) {
            LOG.log(Level.WARNING, () -> "rules are in force but not kept for the next start: " + now);
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
