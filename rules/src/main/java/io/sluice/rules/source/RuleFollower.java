package io.sluice.rules.source;

import io.sluice.core.time.Clock;
import io.sluice.rules.adjust.Adjustments;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.model.Rule;
import io.sluice.rules.changes.RuleChange;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.snapshot.RuleStamp;
import io.sluice.rules.watch.Looks;
import io.sluice.rules.yaml.DocumentError;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The rules of a {@link DocumentSource}: reads them again and again on a dedicated thread, judges them, and puts them in force. A set with
 * an error is refused as a whole. While the source is away, the set in force stays. Thread-safe.
 *
 * <p>Documents have no version of their own. Their versions count from 1, or continue from the last known set before a restart: the same
 * rules get the same version again, other rules get the next one.
 */
public final class RuleFollower implements RuleSource {

    private static final System.Logger LOG = System.getLogger(RuleFollower.class.getName());

    /** The delay between an announcement and the reading, so that several changes are seen together. */
    private static final Duration HINT = Duration.ofMillis(200);

    private static final Duration RETRY_SOONEST = Duration.ofMillis(200);
    private static final Duration RETRY_LATEST = Duration.ofMillis(800);

    private final DocumentSource source;
    private final SourceWords words;
    private final Optional<RuleStamp> last;
    private final RuleVet vet;
    private final Looks looks;
    private final PublishedRules rules = new PublishedRules();
    private final EffectiveRules effective;
    private final WarningMemory warnings = new WarningMemory();
    private final CompletableFuture<Void> looked = new CompletableFuture<>();
    private final AtomicBoolean hinted = new AtomicBoolean();
    private volatile @Nullable String away;
    private volatile boolean closed;
    private volatile Clock.@Nullable Alarm next;

    /** The revision that was judged last. Guarded by this. */
    private @Nullable Object known;

    private RuleFollower(DocumentSource source, Optional<RuleStamp> last, RuleVet vet, Looks looks) {
        this.source = source;
        this.words = source.words();
        this.last = last;
        this.vet = vet;
        this.looks = looks;
        this.effective = new EffectiveRules(rules, looks.clock(), looks.thread());
    }

    /**
     * Follows a source that is read at once, by the caller's thread. If it has no good rules, the follower stays empty until it has.
     *
     * @param last the last set before a restart, if known
     * @param vet checks changes but not the initial rules; the caller checks and reports those
     */
    public static RuleFollower begin(DocumentSource source, Optional<RuleStamp> last, RuleVet vet, Clock clock) {
        return begin(source, last, vet, Looks.onThread("sluice-rules", clock, source.every()));
    }

    static RuleFollower begin(DocumentSource source, Optional<RuleStamp> last, RuleVet vet, Looks looks) {
        RuleFollower follower = new RuleFollower(source, last, vet, looks);
        follower.begin();
        source.watch(follower::hint);
        return follower;
    }

    /**
     * Follows a source that is read in the background. As long as it is away or has no rules, the follower is empty.
     *
     * @param last the last set before a restart, if known
     * @param vet checks every set
     */
    public static RuleFollower open(DocumentSource source, Optional<RuleStamp> last, RuleVet vet, Clock clock) {
        RuleFollower follower =
                new RuleFollower(source, last, vet, Looks.onThread("sluice-rules", clock, source.every()));
        source.watch(follower::hint);
        follower.wake();
        return follower;
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
    public Optional<RefusedSet> refusedSet() {
        return rules.refusedSet();
    }

    @Override
    public void listen(RuleListener listener) {
        rules.listen(listener);
    }

    /** Completes after the first reading, whatever its result. */
    public CompletionStage<Void> looked() {
        return looked.minimalCompletionStage();
    }

    /** Returns why the source cannot be read now; empty if it can. */
    public Optional<String> away() {
        return Optional.ofNullable(away);
    }

    /** Returns the problems with reading the rules and with the newest rules, as sentences. */
    public List<String> findings() {
        List<String> findings = new ArrayList<>();
        away().ifPresent(why -> findings.add(words.awayFinding() + ": " + why));
        List<DocumentError> errors = refused();
        if (!errors.isEmpty()) {
            findings.add(words.refusedFinding() + ": " + inShort(errors));
        }
        findings.addAll(source.findings());
        return findings;
    }

    @Override
    public void close() {
        closed = true;
        rules.close();
        looked.complete(null);
        Clock.Alarm alarm = next;
        if (alarm != null) {
            alarm.cancel();
        }
        looks.thread().execute(source::close);
        looks.stop().run();
    }

    /** Reads now, on the caller's thread. */
    public synchronized void look() {
        if (closed) {
            return;
        }
        hinted.set(false);
        Duration pause = looks.every();
        try {
            pause = take(source.read(known)) ? pause : retry();
        } catch (RuntimeException e) {
            LOG.log(
                    Level.WARNING,
                    "could not check " + source.name()
                            + " for changes; its last content stays in force until the next check",
                    e);
        } finally {
            looked.complete(null);
            lookLater(pause);
        }
    }

    private void lookLater(Duration pause) {
        if (!closed && !pause.isZero()) {
            Clock.Alarm before = next;
            if (before != null) {
                before.cancel();
            }
            next = looks.clock().at(looks.clock().nanoTime() + pause.toNanos(), this::wake);
        }
    }

    /** Runs on threads that must not block. */
    private void hint() {
        if (hinted.compareAndSet(false, true)) {
            looks.clock().at(looks.clock().nanoTime() + HINT.toNanos(), this::wake);
        }
    }

    private void wake() {
        looks.thread().execute(this::look);
    }

    private static Duration retry() {
        return Duration.ofMillis(
                ThreadLocalRandom.current().nextLong(RETRY_SOONEST.toMillis(), RETRY_LATEST.toMillis()));
    }

    /** Takes the initial rules. Logs only warnings. */
    private synchronized void begin() {
        DocumentReading reading = source.read(null);
        if (reading instanceof DocumentReading.Documents documents) {
            known = documents.revision();
            if (documents.document() instanceof RuleDocument.Accepted accepted) {
                warn(accepted);
                effective.put(numbered(accepted.rules()), Optional.empty(), Adjustments.NONE);
            } else {
                rules.refuse(((RuleDocument.Refused) documents.document()).errors());
            }
        } else {
            take(reading);
        }
        looked.complete(null);
        lookLater(looks.every());
    }

    /** Returns whether the source has to be read only when it is due. */
    private boolean take(DocumentReading reading) {
        if (reading instanceof DocumentReading.Unreachable gone) {
            gone(gone.why());
            return gone.answered();
        }
        back();
        if (reading instanceof DocumentReading.Documents documents) {
            known = documents.revision();
            judge(documents.document());
        } else if (reading instanceof DocumentReading.Unreadable unreadable) {
            refuseOnce(unreadable.refused());
        } else if (reading instanceof DocumentReading.Missing missing) {
            known = null;
            if (hasRules()) {
                refuseOnce(new RefusedSet(Optional.empty(), List.of(missing.why())));
            } else {
                rules.settle();
            }
        }
        return true;
    }

    private void judge(RuleDocument document) {
        if (document instanceof RuleDocument.Refused refused) {
            refuse(refused.errors());
            return;
        }
        warn(document);
        List<Rule> now = ((RuleDocument.Accepted) document).rules();
        if (hasRules() && now.equals(latest().rules())) {
            settle();
            return;
        }
        RuleSet set = numbered(now);
        List<DocumentError> faults = vet.faults(set);
        if (faults.isEmpty()) {
            publish(set);
        } else {
            refuse(faults);
        }
    }

    private void warn(RuleDocument document) {
        warnings.fresh(document).forEach(line -> LOG.log(Level.WARNING, line));
    }

    private RuleSet numbered(List<Rule> next) {
        if (hasRules()) {
            return new RuleSet(latest().version() + 1, next);
        }
        RuleSet set = new RuleSet(last.map(RuleStamp::version).orElse(0L) + 1, next);
        return last.filter(stamp -> stamp.digest().equals(set.digest()))
                .map(stamp -> set.numbered(stamp.version()))
                .orElse(set);
    }

    private void publish(RuleSet set) {
        boolean found = !hasRules();
        RuleSet before = latest();
        effective.put(set, Optional.empty(), Adjustments.NONE);
        int size = set.rules().size();
        LOG.log(
                Level.INFO,
                () -> found
                        ? words.read()
                                + inForce(set)
                                + (words.place().isEmpty() ? size + (size == 1 ? " rule" : " rules") : words.place())
                        : "rules changed" + inForce(set) + RuleChange.summary(RuleChange.between(before, set)));
    }

    private static String inForce(RuleSet set) {
        return ", version " + set.version() + " is in force: ";
    }

    private void settle() {
        if (!refused().isEmpty()) {
            rules.settle();
            String place = words.place().isEmpty() ? "" : ": " + words.place();
            LOG.log(Level.INFO, () -> "rules valid again, " + stays() + place);
        }
    }

    private void refuse(List<DocumentError> errors) {
        refuse(new RefusedSet(Optional.empty(), errors));
    }

    private void refuse(RefusedSet set) {
        rules.refuse(set);
        LOG.log(Level.WARNING, () -> words.refused() + ", " + stays() + ": " + inShort(set.errors()));
    }

    /** Reports what was refused already only once. */
    private void refuseOnce(RefusedSet set) {
        if (!rules.refusedSet().equals(Optional.of(set))) {
            refuse(set);
        }
    }

    private String stays() {
        return hasRules() ? "version " + latest().version() + " stays in force" : "no rules are in force yet";
    }

    private static String inShort(List<DocumentError> errors) {
        return errors.get(0) + (errors.size() == 1 ? "" : " (and " + (errors.size() - 1) + " more)");
    }

    private void gone(String why) {
        if (away == null) {
            LOG.log(Level.WARNING, () -> words.away() + ", " + stays() + ": " + why);
        }
        away = why;
    }

    private void back() {
        if (away != null) {
            away = null;
            LOG.log(Level.INFO, words.back());
        }
    }
}
