package io.sluice.rules.source;

import io.sluice.core.time.Clock;
import io.sluice.rules.changes.RuleChange;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.model.Rule;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.snapshot.RuleStamp;
import io.sluice.rules.source.RuleFiles.Content;
import io.sluice.rules.watch.FileWatch;
import io.sluice.rules.watch.Looks;
import io.sluice.rules.yaml.DocumentError;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * Rules from a file, or from all rule files of a directory as one set; looked at twice a second, a change is in force within
 * 2 s. Safe for use by many threads.
 *
 * <p>Watched as {@link FileWatch} says: a change within one tick of the file system is seen, a mere touch is none, and a file that is
 * being written is never taken half. Rules that are only written differently are no change.
 *
 * <p>Sets are numbered from 1, or on from the last set that is known from before a restart: the same rules get the same number
 * again, others the next.
 */
public final class FileRuleSource implements RuleSource {

    private static final System.Logger LOG = System.getLogger(FileRuleSource.class.getName());

    private final Path path;
    private final Optional<RuleStamp> last;
    private final RuleVet vet;
    private final PublishedRules rules = new PublishedRules();
    private final FileWatch<Content> files;

    private FileRuleSource(Path path, Optional<RuleStamp> last, RuleVet vet, Looks looks) {
        this.path = path;
        this.last = last;
        this.vet = vet;
        Content begun = RuleFiles.read(path);
        begin(begun.document());
        this.files =
                FileWatch.begin(path.toString(), begun, Content::again, content -> judge(content.document()), looks);
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
        return watch(path, last, vet, Looks.onThread("sluice-rule-file", clock, Looks.OFTEN));
    }

    static FileRuleSource watch(Path path, Optional<RuleStamp> last, RuleVet vet, Looks looks) {
        return new FileRuleSource(path, last, vet, looks);
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
        files.close();
        rules.close();
    }

    /** Says nothing to the log: whoever begins says with what. */
    private void begin(RuleDocument document) {
        if (document instanceof RuleDocument.Refused refused) {
            rules.refuse(refused.errors());
        } else {
            rules.publish(first(((RuleDocument.Accepted) document).rules()));
        }
    }

    /** Tells itself what is wrong, to listeners too; for the watch, all content of rule files is content. */
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
