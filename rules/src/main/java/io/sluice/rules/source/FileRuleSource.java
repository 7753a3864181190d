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
 * Rules from one file, or from all rule files of a directory as one set. The files are polled twice a second, so a change is in
 * force within 2 s. Thread-safe.
 *
 * <p>{@link FileWatch} does the polling: it sees a change within one tick of the file system clock, ignores a mere touch, and
 * never uses a half-written file. A change that leaves the rules equal is not a change.
 *
 * <p>Versions count from 1, or continue from the last known set before a restart: the same rules get the same version again, other rules
 * get the next version.
 */
public final class FileRuleSource implements RuleSource {

    private static final System.Logger LOG = System.getLogger(FileRuleSource.class.getName());

    private final Path path;
    private final Optional<RuleStamp> last;
    private final WarningMemory warnings = new WarningMemory();
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

    /** Reads a file, a pipe, or the files of a directory, once. A file that cannot be read is reported as an error. */
    public static RuleDocument read(Path path) {
        return RuleFiles.readOnce(path).document();
    }

    /** Works like {@link #open(Path, Clock, RuleVet)} without a check of changes. */
    public static FileRuleSource open(Path path, Clock clock) throws RulesRefusedException {
        return open(path, clock, RuleVet.NONE);
    }

    /**
     * Loads the rules and then polls for changes on a dedicated daemon thread. Fails if the initial rules have errors.
     *
     * @param vet the check for changes; the caller checks the initial rules
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
     * Polls on a dedicated daemon thread, starting now. If there are no valid rules at first, the source stays empty until there are.
     *
     * @param last the last set before a restart, if known
     * @param vet the check for changes; the caller checks the initial rules
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

    /** Sets the initial state. Logs only warnings, because the caller reports the initial rules. */
    private void begin(RuleDocument document) {
        if (document instanceof RuleDocument.Refused refused) {
            rules.refuse(refused.errors());
        } else {
            warn(document);
            rules.publish(first(((RuleDocument.Accepted) document).rules()));
        }
    }

    /**
     * Checks new content. This class reports errors itself, also to its listeners. So for the watch, any content of rule files is valid.
     */
    private void judge(RuleDocument document) {
        if (document instanceof RuleDocument.Refused refused) {
            refuse(refused.errors());
            return;
        }
        warn(document);
        List<Rule> next = ((RuleDocument.Accepted) document).rules();
        if (hasRules() && next.equals(latest().rules())) {
            settle();
        } else {
            publish(next);
        }
    }

    private void warn(RuleDocument document) {
        warnings.fresh(document).forEach(line -> LOG.log(Level.WARNING, line));
    }

    private void settle() {
        if (!refused().isEmpty()) {
            rules.settle();
            LOG.log(Level.INFO, () -> "rules valid again, version " + latest().version() + " stays in force: " + path);
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
        String stays = hasRules() ? "version " + latest().version() + " stays in force" : "no rules are in force yet";
        String more = errors.size() == 1 ? "" : " (and " + (errors.size() - 1) + " more)";
        LOG.log(Level.WARNING, () -> "rules refused, " + stays + ": " + errors.get(0) + more);
    }
}
