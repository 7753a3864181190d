package io.sluice.rules.source;

import io.sluice.core.time.Clock;
import io.sluice.rules.adjust.Adjustments;
import io.sluice.rules.changes.RuleChange;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.model.Rule;
import io.sluice.rules.snapshot.CallerTrial;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.snapshot.RuleStamp;
import io.sluice.rules.watch.Looks;
import io.sluice.rules.yaml.DocumentError;
import java.lang.System.Logger.Level;
import java.time.Duration;
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
    private final CompletableFuture<Void> reached = new CompletableFuture<>();
    private final CompletableFuture<Void> looked = new CompletableFuture<>();
    private final AtomicBoolean hinted = new AtomicBoolean();
    private volatile @Nullable String away;
    private volatile boolean closed;
    private volatile Clock.@Nullable Alarm next;

    /** The revision that was judged last. Guarded by this, like the next field. */
    private @Nullable Object revision;

    /** The answer that was logged last instead of rules; empty if there is none. */
    private String toldAnswer = "";

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
        source.watch(follower.new Announced());
        return follower;
    }

    /**
     * Follows a source that is read in the background. As long as it is away or has no rules, the follower is empty.
     *
     * @param last the last set before a restart, if known
     * @param vet checks every set
     */
    public static RuleFollower open(DocumentSource source, Optional<RuleStamp> last, RuleVet vet, Clock clock) {
        return open(source, last, vet, Looks.onThread("sluice-rules", clock, source.every()));
    }

    /** Follows a source on a given thread. */
    public static RuleFollower open(DocumentSource source, Optional<RuleStamp> last, RuleVet vet, Looks looks) {
        RuleFollower follower = new RuleFollower(source, last, vet, looks);
        source.watch(follower.new Announced());
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

    @Override
    public Adjustments adjustments() {
        return effective.adjustments();
    }

    @Override
    public List<String> unfitAdjustments() {
        return effective.problems();
    }

    /** Returns where the rules come from. */
    public DocumentSource source() {
        return source;
    }

    /** Completes when the source answers, or after the first reading. Then it is worth waiting for {@link #looked}. */
    public CompletionStage<Void> reached() {
        return reached.minimalCompletionStage();
    }

    /** Completes after the first reading, whatever its result; not while there is nothing to read yet. */
    public CompletionStage<Void> looked() {
        return looked.minimalCompletionStage();
    }

    /** Returns why the source cannot be read now; empty if it can. */
    public Optional<String> away() {
        return Optional.ofNullable(away);
    }

    @Override
    public void close() {
        closed = true;
        rules.close();
        readOnce();
        Clock.Alarm alarm = next;
        if (alarm != null) {
            alarm.cancel();
        }
        looks.thread().execute(source::close);
        looks.stop().run();
    }

    @Override
    public List<DocumentError> reload() {
        if (!looks.every().isZero()) {
            return List.of();
        }
        look();
        return refused();
    }

    private synchronized void look() {
        if (closed) {
            return;
        }
        hinted.set(false);
        Duration pause = looks.every();
        try {
            effective.refresh();
            DocumentReading reading = source.read(known());
            pause = take(reading) ? pause : retry();
            if (!(reading instanceof DocumentReading.Unchanged)) {
                readOnce();
            }
        } catch (RuntimeException e) {
            LOG.log(
                    Level.WARNING,
                    "could not check " + source.name()
                            + " for changes; its last content stays in force until the next check",
                    e);
            readOnce();
        } finally {
            lookLater(pause);
        }
    }

    private void readOnce() {
        reached.complete(null);
        looked.complete(null);
    }

    private DocumentSource.Known known() {
        return new DocumentSource.Known(
                revision, hasRules(), effective.released(), effective.trial(), effective.adjustments(), last, vet);
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
    private final class Announced implements DocumentSource.Watcher {

        @Override
        public void reached() {
            reached.complete(null);
        }

        @Override
        public void changed(Duration soonest) {
            if (!hinted.compareAndSet(false, true)) {
                return;
            }
            if (soonest.isZero()) {
                wake();
            } else {
                looks.clock().at(looks.clock().nanoTime() + soonest.toNanos(), RuleFollower.this::wake);
            }
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
        DocumentReading reading = source.read(known());
        if (reading instanceof DocumentReading.Documents documents) {
            revision = documents.revision();
            if (documents.document() instanceof RuleDocument.Accepted accepted) {
                warn(accepted);
                effective.put(numbered(accepted.rules()), Optional.empty(), Adjustments.NONE);
            } else {
                rules.refuse(((RuleDocument.Refused) documents.document()).errors());
            }
        } else {
            take(reading);
        }
        readOnce();
        lookLater(looks.every());
    }

    /** Returns whether the next reading can wait until it is due. */
    private boolean take(DocumentReading reading) {
        if (reading instanceof DocumentReading.Unreachable gone) {
            gone(gone);
            return !gone.soon();
        }
        back();
        if (reading instanceof DocumentReading.Documents documents) {
            revision = documents.revision();
            judge(documents.document());
        } else if (!(reading instanceof DocumentReading.Unchanged)) {
            revision = null;
            if (reading instanceof DocumentReading.Released released) {
                put(released.rules(), released.trial(), released.adjustments());
                released.refused().ifPresentOrElse(this::refuseOnce, this::settle);
            } else if (reading instanceof DocumentReading.Unreadable unreadable) {
                refuseOnce(unreadable.refused());
            } else if (hasRules()) {
                List<DocumentError> why = List.of(((DocumentReading.Missing) reading).why());
                refuseOnce(new RefusedSet(Optional.empty(), why));
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
            put(set, Optional.empty(), Adjustments.NONE);
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

    @SuppressWarnings("ReferenceEquality") // the set that was in force before, or another
    private void put(RuleSet set, Optional<CallerTrial> trial, Adjustments adjustments) {
        boolean found = !hasRules();
        RuleSet before = effective.released();
        effective.put(set, trial, adjustments);
        if (before != set) {
            int size = set.rules().size();
            String content = words.place().isEmpty() ? size + (size == 1 ? " rule" : " rules") : words.place();
            LOG.log(
                    Level.INFO,
                    () -> found
                            ? words.read() + inForce(set) + content
                            : "rules changed" + inForce(set) + RuleChange.summary(RuleChange.between(before, set)));
        }
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
        return hasRules() ? "version " + latest().version() + " stays in force" : words.noneYet();
    }

    private static String inShort(List<DocumentError> errors) {
        return errors.get(0) + (errors.size() == 1 ? "" : " (and " + (errors.size() - 1) + " more)");
    }

    private void gone(DocumentReading.Unreachable gone) {
        String why = gone.why();
        // An answer is logged even after a broken connection: it will not pass by itself.
        if (!words.away().isEmpty() && (away == null || (gone.answered() && !why.equals(toldAnswer)))) {
            toldAnswer = gone.answered() ? why : "";
            LOG.log(Level.WARNING, () -> words.away() + ", " + stays() + ": " + why);
        }
        away = why;
    }

    private void back() {
        if (away != null) {
            away = null;
            toldAnswer = "";
            if (!words.back().isEmpty()) {
                LOG.log(Level.INFO, words.back());
            }
        }
    }
}
