package io.sluice.rules.redis;

import io.sluice.core.time.Clock;
import io.sluice.rules.adjust.Adjustments;
import io.sluice.rules.changes.RuleChange;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.model.Rule;
import io.sluice.rules.snapshot.CallerTrial;
import io.sluice.rules.snapshot.NodeShare;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.snapshot.RuleSetText;
import io.sluice.rules.snapshot.RuleSetText.Reading;
import io.sluice.rules.snapshot.RuleStamp;
import io.sluice.rules.source.EffectiveRules;
import io.sluice.rules.source.PublishedRules;
import io.sluice.rules.source.RefusedSet;
import io.sluice.rules.source.RuleVet;
import io.sluice.rules.yaml.DocumentError;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Decides which rules from Redis come into force: the version that a center released for this node, or the founding hashes as
 * long as no center has released. Not thread-safe.
 *
 * <p>A version replaces only a lower one. A version that callers try is held beside it, and needs not be read again when it is
 * promoted. A bad version is refused as a whole. It is checked again after a message, or after half
 * a minute. A missing version is checked again each time.
 */
final class RuleIntake {

    private static final System.Logger LOG = System.getLogger(RuleIntake.class.getName());
    private static final Duration BAD_FOR = Duration.ofSeconds(30);

    private final PublishedRules rules;
    private final NodeShare node;
    private final Optional<RuleStamp> last;
    private final RuleVet vet;
    private final Clock clock;
    private final FoundingHashes hashes = new FoundingHashes();
    private final Map<Long, Bad> bad = new HashMap<>();
    private final EffectiveRules effective;

    /** The highest released version in force, including before a restart; 0 if there is none. */
    private long released;

    /** Whether a set has been in force since the start. */
    private boolean has;

    /** The bad set that the current check found first. */
    private Optional<RuleStamp> refusing = Optional.empty();

    /** The text of the adjustments in force; empty if there is none. */
    private Optional<String> adjusting = Optional.empty();

    private record Bad(List<DocumentError> errors, Optional<RuleStamp> stamp, long untilNanos) {}

    /** @param work runs the check when an adjustment expires; on the thread that also calls {@link #look} */
    RuleIntake(
            PublishedRules rules, NodeShare node, Optional<RuleStamp> last, RuleVet vet, Clock clock, Executor work) {
        this.rules = rules;
        this.effective = new EffectiveRules(rules, clock, work);
        this.node = node;
        this.last = last;
        this.vet = vet;
        this.clock = clock;
        this.released = last.filter(RuleStamp::released).map(RuleStamp::version).orElse(0L);
    }

    /**
     * Checks everything that may have changed.
     *
     * @param told whether a message announced a change
     * @param hashesToo whether hashes may have changed; if not, only the version is checked
     */
    void look(RuleStore store, boolean told, boolean hashesToo) {
        refusing = Optional.empty();
        effective.refresh();
        if (told) {
            bad.clear();
        }
        Optional<byte[]> text = store.version();
        if (text.isPresent()) {
            takeNamed(store, text.get());
        } else if (released > 0) {
            refuse(List.of(DocumentError.of(
                    RuleStore.VERSION, "version: missing (expected: " + released + " or higher; release again)")));
        } else if (hashesToo) {
            RuleDocument document = hashes.read(store);
            // If the first release happened meanwhile, the hashes may be half of its mirror.
            Optional<byte[]> now = store.version();
            if (now.isPresent()) {
                takeNamed(store, now.get());
            } else {
                takeHashes(document);
            }
        }
    }

    private void takeNamed(RuleStore store, byte[] text) {
        Optional<VersionPointer> named = VersionPointer.parse(text);
        if (named.isPresent()) {
            takeReleased(store, named.get());
        } else {
            refuse(List.of(DocumentError.of(
                    RuleStore.VERSION,
                    "version: unreadable (expected: a number, such as 12, with or without a trial,"
                            + " such as 12 trial 13 share 10)")));
        }
    }

    /** Returns whether a center owns this Redis. If so, the hashes are its mirror. */
    boolean isOwned() {
        return released > 0;
    }

    /** Returns the released set in force if it is for all nodes. Then the hashes should be its mirror. */
    Optional<RuleSet> mirrored(RuleStore store) {
        return store.version()
                .flatMap(VersionPointer::parse)
                .filter(named -> has && named.version() == released)
                .map(named -> rules.latest());
    }

    private void takeReleased(RuleStore store, VersionPointer named) {
        List<DocumentError> errors = new ArrayList<>();
        RuleSet main = main(store, named, errors);
        if (main == null) {
            refuse(errors);
            return;
        }
        Optional<CallerTrial> trial = trial(store, named, main, errors);
        put(main, trial, adjustments(store, errors));
        if (errors.isEmpty()) {
            settle();
        } else {
            refuse(errors);
        }
    }

    /** Returns the set that this node uses for callers who try nothing; null if nothing may change. */
    private @Nullable RuleSet main(RuleStore store, VersionPointer named, List<DocumentError> errors) {
        for (long version : named.wantedBy(node)) {
            if (version < released) {
                if (errors.isEmpty()) {
                    errors.add(DocumentError.of(
                            RuleStore.VERSION,
                            "version: " + version + " (expected: " + released
                                    + " or higher; to go back, release the old rules under a new version)"));
                }
                return null;
            }
            if (version == released && has) {
                break;
            }
            RuleSet read = read(store, version, errors);
            if (read != null) {
                released = version;
                bad.keySet().removeIf(other -> other <= version);
                return read;
            }
        }
        return has ? effective.released() : null;
    }

    /** Returns the version that callers try beside the version in force; empty if there is none, or it is bad. */
    private Optional<CallerTrial> trial(
            RuleStore store, VersionPointer named, RuleSet main, List<DocumentError> errors) {
        if (named.split().isEmpty() || main.version() != named.version()) {
            return Optional.empty();
        }
        return Optional.ofNullable(read(store, named.highest(), errors))
                .map(set -> new CallerTrial(set, named.split().get()));
    }

    /** Returns a version, which is not read again if callers try it already; null if it is bad. */
    private @Nullable RuleSet read(RuleStore store, long version, List<DocumentError> errors) {
        Optional<RuleSet> tried = effective.trial().map(CallerTrial::rules).filter(set -> set.version() == version);
        if (tried.isPresent()) {
            return tried.get();
        }
        Bad known = bad.get(version);
        if (known != null && clock.nanoTime() - known.untilNanos() < 0) {
            errors.addAll(known.errors());
            refusing = refusing.or(known::stamp);
            return null;
        }
        Reading reading = Snapshots.read(store, version);
        List<DocumentError> faults = reading instanceof Reading.Found found
                ? vet.faults(found.rules())
                : ((Reading.Unusable) reading).errors();
        if (faults.isEmpty()) {
            return ((Reading.Found) reading).rules();
        }
        if (store.length(version) != 0) {
            Optional<RuleStamp> stamp = RuleSetText.stamp(store.part(version, 0, RuleSetText.LONGEST_HEAD));
            bad.put(version, new Bad(faults, stamp, clock.nanoTime() + BAD_FOR.toNanos()));
            refusing = refusing.or(() -> stamp);
        }
        errors.addAll(faults);
        return null;
    }

    /** Returns the adjustments. If they cannot be read, or are older than the last good ones, those stay. */
    private Adjustments adjustments(RuleStore store, List<DocumentError> errors) {
        Optional<String> text = store.adjustments();
        if (!text.equals(adjusting)) {
            try {
                Adjustments read = text.map(Adjustments::parse).orElse(Adjustments.NONE);
                long now = effective.adjustments().revision();
                if (text.isPresent() && read.revision() < now) {
                    throw new IllegalArgumentException("revision: " + read.revision() + " (expected: " + now
                            + " or higher; an older one never replaces a newer one)");
                }
                adjusting = text;
                return read;
            } catch (IllegalArgumentException e) {
                errors.add(DocumentError.of(RuleStore.ADJUSTMENTS, String.valueOf(e.getMessage())));
            }
        }
        return effective.adjustments();
    }

    /** Can be called by any thread. */
    Adjustments adjustments() {
        return effective.adjustments();
    }

    /** Returns why adjustments were left out. Can be called by any thread. */
    List<String> unfitAdjustments() {
        return effective.problems();
    }

    private void takeHashes(RuleDocument document) {
        if (document instanceof RuleDocument.Refused refused) {
            refuse(refused.errors());
            return;
        }
        List<Rule> next = ((RuleDocument.Accepted) document).rules();
        if (next.isEmpty()) {
            // A Redis that lost its data must not disable all limits.
            if (has) {
                refuse(List.of(DocumentError.of(
                        RuleStore.HASH + "*",
                        "rules: none (expected: at least one; to apply no rules, keep one with enabled: false)")));
            } else {
                rules.settle();
            }
            return;
        }
        if (has && next.equals(rules.latest().rules())) {
            settle();
            return;
        }
        RuleSet set = numbered(next);
        List<DocumentError> faults = vet.faults(set);
        if (faults.isEmpty()) {
            publish(set);
        } else {
            refuse(faults);
        }
    }

    /**
     * Numbers the hashes, which have no version of their own. Counting continues after a restart, and the same rules keep their
     * number.
     */
    private RuleSet numbered(List<Rule> next) {
        if (has) {
            return new RuleSet(rules.latest().version() + 1, next);
        }
        RuleSet set = new RuleSet(last.map(RuleStamp::version).orElse(0L) + 1, next);
        return last.filter(stamp -> stamp.digest().equals(set.digest()))
                .map(stamp -> set.numbered(stamp.version()))
                .orElse(set);
    }

    private void publish(RuleSet set) {
        put(set, Optional.empty(), Adjustments.NONE);
    }

    @SuppressWarnings("ReferenceEquality") // the set that was in force before, or another
    private void put(RuleSet set, Optional<CallerTrial> trial, Adjustments adjustments) {
        RuleSet before = effective.released();
        boolean first = !has;
        has = true;
        effective.put(set, trial, adjustments);
        if (before != set) {
            LOG.log(
                    Level.INFO,
                    () -> first
                            ? "rules read from Redis, version " + set.version() + " is in force: "
                                    + set.rules().size() + (set.rules().size() == 1 ? " rule" : " rules")
                            : "rules changed, version " + set.version() + " is in force: "
                                    + RuleChange.summary(RuleChange.between(before, set)));
        }
    }

    private void settle() {
        if (!rules.refused().isEmpty()) {
            rules.settle();
            LOG.log(
                    Level.INFO,
                    () -> "rules valid again, version " + rules.latest().version() + " stays in force");
        }
    }

    /** Reports each bad set once. */
    private void refuse(List<DocumentError> errors) {
        if (rules.refused().equals(errors)) {
            return;
        }
        rules.refuse(new RefusedSet(refusing, errors));
        String stays = has ? "version " + rules.latest().version() + " stays in force" : "no rules are in force yet";
        String more = errors.size() == 1 ? "" : " (and " + (errors.size() - 1) + " more)";
        LOG.log(Level.WARNING, () -> "rules from Redis refused, " + stays + ": " + errors.get(0) + more);
    }
}
