package io.sluice.rules.redis;

import io.sluice.rules.adjust.Adjustments;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.snapshot.RuleSetText;
import io.sluice.rules.snapshot.RuleSetText.Reading;
import io.sluice.rules.snapshot.RuleStamp;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;

/**
 * One attempt to make a Redis hold the wanted rules, whatever its keys hold now.
 *
 * <p>The wanted rules come from the database of a center, so every key of the center that is missing, unreadable, of another type or
 * older can be written again. Rules of another program are never replaced: a version above the center's that can be read, or that a node
 * runs, and other rules under one of the center's versions. A version key above the center's is only a wrong number if its rules are no
 * longer in Redis and no node runs it.
 *
 * <p>The order is that of a release: snapshots, adjustments, then the version key, by compare-and-set. So the attempt can stop anywhere
 * and be repeated.
 */
final class Upkeep {

    private static final String AGAIN = "; written again";
    private static final String REPAIR =
            "; release a change to replace it, or take it over with ./sluice center rebuild";
    private static final int SHOWN = 40;

    private final RuleStore store;
    private final WantedRules wanted;
    private final Optional<WantedRules> last;
    private final boolean thorough;
    private final List<String> repaired = new ArrayList<>();
    private final List<String> foreign = new ArrayList<>();
    private final byte[] was;
    private final Optional<VersionPointer> now;
    private long higherRevision;

    /**
     * @param last the rules that the last attempt wrote; empty if unknown
     * @param thorough whether to read snapshots completely, or only their beginnings
     */
    Upkeep(RuleStore store, WantedRules wanted, Optional<WantedRules> last, boolean thorough) {
        this.store = store;
        this.wanted = wanted;
        this.last = last;
        this.thorough = thorough;
        this.was = store.version().orElseGet(() -> new byte[0]);
        this.now = VersionPointer.parse(was);
    }

    /**
     * Returns the highest version that the publisher did not release; 0 if there is none.
     *
     * @param running whether a node runs a version
     */
    long foreignVersion(LongPredicate running) {
        long ours = wanted.highest();
        if (now.isPresent()) {
            VersionPointer named = now.get();
            return LongStream.of(named.highest(), named.version())
                    .filter(version -> version > ours)
                    .filter(version -> stamp(version).isPresent() || running.test(version))
                    .max()
                    .orElse(0);
        }
        return snapshots()
                .filter(version -> version > ours && stamp(version).isPresent())
                .max()
                .orElse(0);
    }

    /** Returns the versions with a snapshot. */
    private LongStream snapshots() {
        return store.keys(RuleStore.SNAPSHOT, Integer.MAX_VALUE).stream()
                .map(key -> key.substring(RuleStore.SNAPSHOT.length()))
                .filter(number -> number.matches("[1-9][0-9]{0,14}"))
                .mapToLong(Long::parseLong);
    }

    private Optional<RuleStamp> stamp(long version) {
        return RuleSetText.stamp(store.part(version, 0, RuleSetText.LONGEST_HEAD))
                .filter(stamp -> stamp.version() == version);
    }

    /**
     * Makes Redis hold the wanted rules.
     *
     * @param running whether a node runs a version
     * @return whether the version in force is new here
     */
    boolean attempt(LongPredicate running) throws ObstacleException {
        long higher = foreignVersion(running);
        if (higher > 0) {
            throw new ObstacleException(
                    higher, "Redis has version " + higher + ", which this center does not know" + REPAIR);
        }
        if (wanted.inForce().version() == 0) {
            // Nothing was released. Until the first release, the Redis belongs to the programs that write hashes.
            return false;
        }
        boolean hadRules = !write(wanted.inForce());
        boolean changed = !hadRules;
        if (wanted.trial().isPresent()) {
            changed |= write(wanted.trial().get().rules());
        }
        // Adjustments are written before the version that they apply to.
        changed |= adjust();
        changed |= flip(hadRules);
        if (changed) {
            store.tell(RuleStore.RELOAD_ALL);
        }
        return now.map(VersionPointer::version)
                .filter(version -> version == wanted.inForce().version())
                .isEmpty();
    }

    /** Thrown if another program has released rules that must not be replaced. */
    static final class ObstacleException extends Exception {

        private static final long serialVersionUID = 1;

        private final long version;

        ObstacleException(long version, String why) {
            super(why);
            this.version = version;
        }

        KeptRules.Obstacle obstacle() {
            return new KeptRules.Obstacle(version, String.valueOf(getMessage()));
        }
    }

    private boolean adjust() {
        Optional<String> text = store.adjustments();
        Adjustments ours = wanted.adjustments();
        if (text.equals(Optional.of(ours.toJson())) || (text.isEmpty() && ours.revision() == 0)) {
            return false;
        }
        Optional<Long> revision = text.flatMap(Upkeep::revision);
        if (ours.revision() == 0 && revision.isPresent()) {
            foreign.add(RuleStore.ADJUSTMENTS + " has revision " + revision.get()
                    + ", which this center does not know; it applies until it expires, or until an override or"
                    + " a switch replaces it");
            return false;
        }
        if (!store.adjust(ours.toJson(), ours.revision())) {
            higherRevision = text.flatMap(Upkeep::revision).orElse(0L);
            return false;
        }
        boolean isKnown = last.filter(before -> before.adjustments().revision() == ours.revision())
                .isPresent();
        if (text.isPresent() && revision.isEmpty()) {
            repaired.add(RuleStore.ADJUSTMENTS + " was unreadable" + AGAIN);
        } else if (revision.isPresent() && isKnown) {
            repaired.add(RuleStore.ADJUSTMENTS + " had revision " + revision.get() + AGAIN + " as revision "
                    + ours.revision());
        } else if (isKnown) {
            repaired.add(RuleStore.ADJUSTMENTS + " was missing" + AGAIN);
        }
        return true;
    }

    private static Optional<Long> revision(String text) {
        try {
            return Optional.of(Adjustments.parse(text).revision());
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** Writes a snapshot unless Redis has it. Returns true if it was written. */
    private boolean write(RuleSet set) throws ObstacleException {
        String key = RuleStore.SNAPSHOT + set.version();
        long length = store.length(set.version());
        if (length == 0) {
            if (!store.write(set.version(), bytes(set))) {
                // The key holds an empty text, which counts as none.
                store.replace(set.version(), bytes(set));
            }
            if (isNamed(set.version())) {
                repaired.add(key + " was missing" + AGAIN);
            }
            return true;
        }
        Optional<RuleStamp> stamp = length < 0 ? Optional.empty() : stamp(set.version());
        boolean same =
                stamp.filter(found -> found.digest().equals(set.digest())).isPresent();
        if (same && (!thorough || isWhole(set.version(), length, stamp.orElseThrow()))) {
            return false;
        }
        if (!same && stamp.isPresent() && Snapshots.read(store, set.version()) instanceof Reading.Found) {
            throw new ObstacleException(
                    set.version(),
                    "Redis has other rules as version " + set.version()
                            + "; another center seems to release to it (expected: one database for all centers of a"
                            + " Redis)"
                            + REPAIR);
        }
        store.replace(set.version(), bytes(set));
        repaired.add(key + (length < 0 ? " was not a text" : " was unreadable") + AGAIN);
        return true;
    }

    private boolean isWhole(long version, long length, RuleStamp stamp) {
        return length <= RuleStore.MOST_BYTES
                && RuleSetText.holds(Snapshots.bytes(store, version, Math.toIntExact(length)), stamp);
    }

    private byte[] bytes(RuleSet set) {
        return Snapshots.bytes(set, wanted.share(set));
    }

    private boolean isNamed(long version) {
        return now.filter(named -> isNamed(named, version)).isPresent()
                || last.filter(before -> isNamed(before.toPointer(), version)).isPresent();
    }

    private static boolean isNamed(VersionPointer pointer, long version) {
        return pointer.version() == version || pointer.highest() == version;
    }

    /**
     * Switches to the wanted version unless it is in force. Returns true if it was switched.
     *
     * @param hadRules whether Redis already had the rules of the wanted version
     */
    private boolean flip(boolean hadRules) {
        String next = wanted.pointer();
        if (Arrays.equals(was, next.getBytes(StandardCharsets.UTF_8))) {
            return false;
        }
        if (next.length() > VersionPointer.LONGEST) {
            throw new IllegalArgumentException(
                    "trial: " + next.length() + " characters (expected: at most " + VersionPointer.LONGEST + ")");
        }
        if (!store.flip(was, next)) {
            throw new IllegalStateException(
                    RuleStore.VERSION + ": changed by something else at the same time (expected: one center)");
        }
        boolean unknown = now.isEmpty() || now.get().highest() > wanted.highest();
        boolean isUnexpected =
                last.filter(before -> !before.pointer().equals(text())).isPresent();
        if (isUnexpected || (was.length > 0 ? unknown : hadRules)) {
            repaired.add(RuleStore.VERSION + (was.length == 0 ? " was missing" : " was \"" + shown() + "\"") + AGAIN
                    + " as \"" + next + "\"");
        }
        return true;
    }

    private String text() {
        return new String(was, StandardCharsets.UTF_8);
    }

    private String shown() {
        String text = HashReply.printable(new String(was, StandardCharsets.ISO_8859_1));
        return text.length() > SHOWN ? text.substring(0, SHOWN) + "…" : text;
    }

    List<String> repaired() {
        return repaired;
    }

    List<String> foreign() {
        return foreign;
    }

    /** Returns the revision of adjustments that were not replaced because it is higher; 0 if there were none. */
    long higherRevision() {
        return higherRevision;
    }
}
