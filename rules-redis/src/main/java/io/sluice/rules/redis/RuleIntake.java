package io.sluice.rules.redis;

import io.sluice.core.time.Clock;
import io.sluice.rules.adjust.Adjustments;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.snapshot.CallerTrial;
import io.sluice.rules.snapshot.NodeShare;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.snapshot.RuleSetText;
import io.sluice.rules.snapshot.RuleSetText.Reading;
import io.sluice.rules.snapshot.RuleStamp;
import io.sluice.rules.source.DocumentReading;
import io.sluice.rules.source.DocumentSource.Known;
import io.sluice.rules.source.RefusedSet;
import io.sluice.rules.yaml.DocumentError;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Decides which rules in Redis are for this node: the version that a center released for this node, or the founding hashes as
 * long as no center has released. Not thread-safe.
 *
 * <p>A version replaces only a lower one. A version that callers try is held beside it, and needs not be read again when it is
 * promoted. A bad version is refused as a whole. It is checked again after a message, or after half a minute; after some seconds if
 * it cannot be read, because a center repairs it, and the message may be lost. A missing version is checked again each time.
 */
final class RuleIntake {

    private static final Duration BAD_FOR = Duration.ofSeconds(30);
    private static final Duration UNREADABLE_FOR = Duration.ofSeconds(3);

    /** Reading damaged versions again takes at most this fraction of the time, one part in twenty, unless half a minute has passed. */
    private static final int READING_SHARE = 20;

    private final NodeShare node;
    private final Clock clock;
    private final FoundingHashes hashes = new FoundingHashes();
    private final Map<Long, Bad> bad = new HashMap<>();

    /** The highest released version in force, including before a restart; 0 if there is none. */
    private long released;

    /** The bad set that the current check found first. */
    private Optional<RuleStamp> refusing = Optional.empty();

    /** The text of the adjustments in force; empty if there is none. */
    private Optional<String> adjusting = Optional.empty();

    private record Bad(List<DocumentError> errors, Optional<RuleStamp> stamp, long untilNanos) {}

    RuleIntake(NodeShare node, Clock clock) {
        this.node = node;
        this.clock = clock;
    }

    /**
     * Checks everything that may have changed.
     *
     * @param told whether a message announced a change
     * @param hashesToo whether hashes may have changed; if not, only the version is checked
     */
    DocumentReading look(RuleStore store, Known known, boolean told, boolean hashesToo) {
        refusing = Optional.empty();
        released = Math.max(
                released,
                known.last().filter(RuleStamp::released).map(RuleStamp::version).orElse(0L));
        if (told) {
            bad.clear();
        }
        Optional<byte[]> text = store.version();
        if (text.isPresent()) {
            return named(store, known, text.get());
        }
        if (released > 0) {
            return refused(List.of(DocumentError.of(
                    RuleStore.VERSION, "version: missing (expected: " + released + " or higher; release again)")));
        }
        if (!hashesToo) {
            return new DocumentReading.Unchanged();
        }
        RuleDocument document = hashes.read(store);
        // If the first release happened meanwhile, the hashes may be half of its mirror.
        Optional<byte[]> now = store.version();
        return now.isPresent() ? named(store, known, now.get()) : hashes(document, known);
    }

    private DocumentReading named(RuleStore store, Known known, byte[] text) {
        Optional<VersionPointer> named = VersionPointer.parse(text);
        return named.isPresent()
                ? released(store, known, named.get())
                : refused(List.of(DocumentError.of(
                        RuleStore.VERSION,
                        "version: unreadable (expected: a number, such as 12, with or without a trial,"
                                + " such as 12 trial 13 share 10)")));
    }

    /** Returns whether a center owns this Redis. If so, the hashes are its mirror. */
    boolean isOwned() {
        return released > 0;
    }

    /** Returns whether the released set in force is for all nodes. Then the hashes should be its mirror. */
    boolean isMirrored(RuleStore store) {
        return store.version()
                .flatMap(VersionPointer::parse)
                .filter(named -> named.version() == released)
                .isPresent();
    }

    private DocumentReading released(RuleStore store, Known known, VersionPointer named) {
        List<DocumentError> errors = new ArrayList<>();
        RuleSet main = main(store, known, named, errors);
        if (main == null) {
            return refused(errors);
        }
        Optional<CallerTrial> trial = trial(store, known, named, main, errors);
        Adjustments adjustments = adjustments(store, known, errors);
        return new DocumentReading.Released(
                main,
                trial,
                adjustments,
                errors.isEmpty() ? Optional.empty() : Optional.of(new RefusedSet(refusing, errors)));
    }

    /** Returns the set that this node uses for callers who try nothing; null if nothing may change. */
    private @Nullable RuleSet main(RuleStore store, Known known, VersionPointer named, List<DocumentError> errors) {
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
            if (version == released && known.hasRules()) {
                break;
            }
            RuleSet read = read(store, known, version, errors);
            if (read != null) {
                released = version;
                bad.keySet().removeIf(other -> other <= version);
                return read;
            }
        }
        return known.hasRules() ? known.rules() : null;
    }

    /** Returns the version that callers try beside the version in force; empty if there is none, or it is bad. */
    private Optional<CallerTrial> trial(
            RuleStore store, Known known, VersionPointer named, RuleSet main, List<DocumentError> errors) {
        if (named.split().isEmpty() || main.version() != named.version()) {
            return Optional.empty();
        }
        return Optional.ofNullable(read(store, known, named.highest(), errors))
                .map(set -> new CallerTrial(set, named.split().get()));
    }

    /** Returns a version, which is not read again if callers try it already; null if it is bad. */
    private @Nullable RuleSet read(RuleStore store, Known known, long version, List<DocumentError> errors) {
        Optional<RuleSet> tried = known.trial().map(CallerTrial::rules).filter(set -> set.version() == version);
        if (tried.isPresent()) {
            return tried.get();
        }
        Bad before = bad.get(version);
        if (before != null && clock.nanoTime() - before.untilNanos() < 0) {
            errors.addAll(before.errors());
            refusing = refusing.or(before::stamp);
            return null;
        }
        long began = clock.nanoTime();
        Reading reading = Snapshots.read(store, version);
        List<DocumentError> faults = reading instanceof Reading.Found found
                ? known.vet().faults(found.rules())
                : ((Reading.Unusable) reading).errors();
        if (faults.isEmpty()) {
            return ((Reading.Found) reading).rules();
        }
        if (store.length(version) != 0) {
            Optional<RuleStamp> stamp = RuleSetText.stamp(store.part(version, 0, RuleSetText.LONGEST_HEAD));
            bad.put(version, new Bad(faults, stamp, clock.nanoTime() + badFor(reading, clock.nanoTime() - began)));
            refusing = refusing.or(() -> stamp);
        }
        errors.addAll(faults);
        return null;
    }

    private static long badFor(Reading reading, long tookNanos) {
        return reading instanceof Reading.Found
                ? BAD_FOR.toNanos()
                : Math.min(BAD_FOR.toNanos(), Math.max(UNREADABLE_FOR.toNanos(), READING_SHARE * tookNanos));
    }

    /** Returns the adjustments. If they cannot be read, or are older than the last good ones, those stay. */
    private Adjustments adjustments(RuleStore store, Known known, List<DocumentError> errors) {
        Optional<String> text = store.adjustments();
        if (!text.equals(adjusting)) {
            try {
                Adjustments read = text.map(Adjustments::parse).orElse(Adjustments.NONE);
                long now = known.adjustments().revision();
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
        return known.adjustments();
    }

    private static DocumentReading hashes(RuleDocument document, Known known) {
        if (document instanceof RuleDocument.Accepted accepted
                && accepted.rules().isEmpty()) {
            return new DocumentReading.Missing(DocumentError.of(
                    RuleStore.HASH + "*",
                    "rules: none (expected: at least one; to apply no rules, keep one with enabled: false)"));
        }
        return document.equals(known.revision())
                ? new DocumentReading.Unchanged()
                : new DocumentReading.Documents(document, document);
    }

    private DocumentReading refused(List<DocumentError> errors) {
        return new DocumentReading.Unreadable(new RefusedSet(refusing, errors));
    }
}
