package io.sluice.rules;

import io.sluice.core.time.Clock;
import io.sluice.rules.internal.RuleFiles;
import io.sluice.rules.internal.RuleFiles.Content;
import io.sluice.rules.spi.RuleListener;
import io.sluice.rules.spi.RuleSource;
import io.sluice.rules.yaml.DocumentError;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Rules from one file, looked at twice a second; a change is in force within 2 s. Safe for use by many threads.
 *
 * <p>Content counts, not time stamps, so a change within one tick of the file system is seen and a mere touch is none. A
 * change is taken when two looks in a row see the same content: a file that is being written is never taken half.
 */
public final class FileRuleSource implements RuleSource {

    private static final System.Logger LOG = System.getLogger(FileRuleSource.class.getName());
    private static final Duration LOOK_EVERY = Duration.ofMillis(500);

    private final Path file;
    private final Clock clock;
    private final Executor looking;
    private final Runnable stopLooking;
    private final List<RuleListener> listeners = new CopyOnWriteArrayList<>();
    private volatile RuleSet latest;
    private volatile boolean closed;

    /** Touched only by the looking thread, after the constructor. */
    private Content judged;

    private Content seen;

    private FileRuleSource(
            Path file, RuleSet first, Content content, Clock clock, Executor looking, Runnable stopLooking) {
        this.file = file;
        this.latest = first;
        this.judged = content;
        this.seen = content;
        this.clock = clock;
        this.looking = looking;
        this.stopLooking = stopLooking;
    }

    /** Loads the file and keeps looking at it, on a daemon thread of its own. */
    public static FileRuleSource open(Path file, Clock clock) throws RulesRefusedException {
        ExecutorService thread = Executors.newSingleThreadExecutor(task -> {
            Thread looker = new Thread(task, "sluice-rule-file");
            looker.setDaemon(true);
            return looker;
        });
        try {
            return open(file, clock, thread, thread::shutdown);
        } catch (RulesRefusedException e) {
            thread.shutdown();
            throw e;
        }
    }

    static FileRuleSource open(Path file, Clock clock, Executor looking, Runnable stopLooking)
            throws RulesRefusedException {
        Content content = RuleFiles.read(file);
        RuleDocument document = content.document();
        if (document instanceof RuleDocument.Refused refused) {
            throw new RulesRefusedException(refused.errors());
        }
        RuleSet first = new RuleSet(1, ((RuleDocument.Accepted) document).rules());
        FileRuleSource source = new FileRuleSource(file, first, content, clock, looking, stopLooking);
        source.lookLater();
        return source;
    }

    @Override
    public RuleSet latest() {
        return latest;
    }

    @Override
    public void listen(RuleListener listener) {
        listeners.add(listener);
    }

    @Override
    public void close() {
        closed = true;
        stopLooking.run();
    }

    /** The alarm only wakes the looking thread: alarms are shared with deadlines and must not wait for a disk. */
    private void lookLater() {
        clock.at(clock.nanoTime() + LOOK_EVERY.toNanos(), () -> {
            if (!closed) {
                looking.execute(this::look);
            }
        });
    }

    private void look() {
        try {
            Content now = RuleFiles.read(file);
            if (now.sameAs(seen) && !now.sameAs(judged)) {
                judged = now;
                judge(now.document());
            }
            seen = now;
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "looking at " + file + " failed; will look again", e);
        }
        lookLater();
    }

    private void judge(RuleDocument document) {
        if (document instanceof RuleDocument.Accepted accepted) {
            RuleSet next = new RuleSet(latest.version() + 1, accepted.rules());
            latest = next;
            LOG.log(
                    Level.INFO,
                    () -> "rules changed: " + file + ", version " + next.version() + ", "
                            + next.rules().size() + " rules");
            listeners.forEach(listener -> listener.changed(next));
        } else {
            List<DocumentError> errors = ((RuleDocument.Refused) document).errors();
            String more = errors.size() == 1 ? "" : " (and " + (errors.size() - 1) + " more)";
            LOG.log(
                    Level.WARNING,
                    () -> "rules refused, version " + latest.version() + " stays in force: " + errors.get(0) + more);
            listeners.forEach(listener -> listener.refused(errors));
        }
    }
}
