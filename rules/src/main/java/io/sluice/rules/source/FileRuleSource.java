package io.sluice.rules.source;

import io.sluice.core.time.Clock;
import io.sluice.rules.changes.RuleChange;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.model.Rule;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.snapshot.RuleStamp;
import io.sluice.rules.source.RuleFiles.Content;
import io.sluice.rules.yaml.DocumentError;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Rules from a file, or from all rule files of a directory as one set; looked at twice a second, a change is in force within
 * 2 s. Safe for use by many threads.
 *
 * <p>Content counts, not time stamps, so a change within one tick of the file system is seen and a mere touch is none. A
 * change is taken when two looks in a row see the same content: a file that is being written is never taken half. Rules that are only
 * written differently are no change.
 *
 * <p>Sets are numbered from 1, or on from the last set that is known from before a restart: the same rules get the same number
 * again, others the next.
 */
public final class FileRuleSource implements RuleSource {

    private static final System.Logger LOG = System.getLogger(FileRuleSource.class.getName());
    private static final Duration LOOK_EVERY = Duration.ofMillis(500);

    private final Path path;
    private final Optional<RuleStamp> last;
    private final RuleVet vet;
    private final Clock clock;
    private final Executor looking;
    private final Runnable stopLooking;
    private final PublishedRules rules = new PublishedRules();
    private volatile boolean closed;

    /** Touched only by the looking thread, after the first look. */
    private Content judged;

    private Content seen;

    private FileRuleSource(
            Path path, Optional<RuleStamp> last, RuleVet vet, Clock clock, Executor looking, Runnable stopLooking) {
        this.path = path;
        this.last = last;
        this.vet = vet;
        this.clock = clock;
        this.looking = looking;
        this.stopLooking = stopLooking;
        this.judged = RuleFiles.read(path);
        this.seen = judged;
    }

    /** Reads a file, or the files of a directory, once. A file that cannot be read is an error like others. */
    public static RuleDocument read(Path path) {
        return RuleFiles.read(path).document();
    }

    /** The same as {@link #open(Path, Clock, RuleVet)}, where every set will do. */
    public static FileRuleSource open(Path path, Clock clock) throws RulesRefusedException {
        return open(path, clock, RuleVet.NONE);
    }

    /**
     * Loads the rules and keeps looking, on a daemon thread of its own; refuses to begin with bad ones.
     *
     * @param vet of changes, and not of the rules to begin with: whoever begins judges those
     */
    public static FileRuleSource open(Path path, Clock clock, RuleVet vet) throws RulesRefusedException {
        FileRuleSource source = watch(path, clock, Optional.empty(), vet);
        if (!source.hasRules()) {
            source.close();
            throw new RulesRefusedException(source.refused());
        }
        return source;
    }

    /**
     * Looks, and keeps looking, on a daemon thread of its own. If there are no good rules to begin with, the source has none until
     * there are.
     *
     * @param last the last set before a restart, if it is known
     * @param vet of changes, and not of the rules to begin with: whoever begins judges those
     */
    public static FileRuleSource watch(Path path, Clock clock, Optional<RuleStamp> last, RuleVet vet) {
        ExecutorService thread = Executors.newSingleThreadExecutor(task -> {
            Thread looker = new Thread(task, "sluice-rule-file");
            looker.setDaemon(true);
            return looker;
        });
        return watch(path, clock, last, vet, thread, thread::shutdown);
    }

    static FileRuleSource watch(
            Path path, Clock clock, Optional<RuleStamp> last, RuleVet vet, Executor looking, Runnable stopLooking) {
        FileRuleSource source = new FileRuleSource(path, last, vet, clock, looking, stopLooking);
        source.begin(source.judged.document());
        source.lookLater();
        return source;
    }

    @Override
    public RuleSet latest() {
        return rules.latest();
    }

    @Override
    public CompletionStage<RuleSet> first() {
        return rules.first();
    }

    @Override
    public List<DocumentError> refused() {
        return rules.refused();
    }

    @Override
    public void listen(RuleListener listener) {
        rules.listen(listener);
    }

    @Override
    public void close() {
        closed = true;
        rules.close();
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
            Content now = seen.again();
            if (now == seen && !now.sameAs(judged)) {
                judged = now;
                judge(now.document());
            }
            seen = now.sameAs(judged) ? judged : now;
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "looking at " + path + " failed; will look again", e);
        } finally {
            lookLater();
        }
    }

    /** Says nothing to the log: whoever begins says with what. */
    private void begin(RuleDocument document) {
        if (document instanceof RuleDocument.Refused refused) {
            rules.refuse(refused.errors());
        } else {
            rules.publish(first(((RuleDocument.Accepted) document).rules()));
        }
    }

    private void judge(RuleDocument document) {
        if (document instanceof RuleDocument.Refused refused) {
            refuse(refused.errors());
            return;
        }
        List<Rule> next = ((RuleDocument.Accepted) document).rules();
        if (hasRules() && next.equals(latest().rules())) {
            settle();
        } else {
            publish(next);
        }
    }

    private void settle() {
        if (!refused().isEmpty()) {
            rules.settle();
            LOG.log(Level.INFO, () -> "rules good again, version " + latest().version() + " stays in force: " + path);
        }
    }

    private void publish(List<Rule> next) {
        boolean found = !hasRules();
        RuleSet before = latest();
        RuleSet set = found ? first(next) : new RuleSet(before.version() + 1, next);
        List<DocumentError> faults = vet.faults(set);
        if (!faults.isEmpty()) {
            refuse(faults);
            return;
        }
        rules.publish(set);
        LOG.log(
                Level.INFO,
                () -> found
                        ? "rules found, version " + set.version() + " is in force: " + path
                        : "rules changed, version " + set.version() + " is in force: "
                                + RuleChange.summary(RuleChange.between(before, set)));
    }

    private RuleSet first(List<Rule> next) {
        RuleSet set = new RuleSet(last.map(RuleStamp::version).orElse(0L) + 1, next);
        return last.filter(stamp -> stamp.digest().equals(set.digest()))
                .map(stamp -> set.numbered(stamp.version()))
                .orElse(set);
    }

    private void refuse(List<DocumentError> errors) {
        rules.refuse(errors);
        String stays = hasRules() ? "version " + latest().version() + " stays in force" : "there are none yet";
        String more = errors.size() == 1 ? "" : " (and " + (errors.size() - 1) + " more)";
        LOG.log(Level.WARNING, () -> "rules refused, " + stays + ": " + errors.get(0) + more);
    }
}
