package io.sluice.center.callers;

import io.sluice.rules.caller.CallerMark;
import io.sluice.runtime.data.DistinctCallers;
import io.sluice.runtime.data.FrequentCallers;
import io.sluice.runtime.data.RefusedMinute;
import java.util.Set;
import java.util.regex.Pattern;

/** Refused callers of one kind, merged from several nodes or minutes. Not thread-safe. */
final class CallerGroup {

    /** The size of a sketch in the center: 384 callers are counted exactly. */
    static final int SKETCH_SIZE = 512;

    /** Longer texts are cut. Nodes hide all but a few characters of each attribute. */
    private static final int LONGEST_MASKED = 120;

    private static final int LONGEST_SENT = 1_000;

    /** No caller and no group is refused more often in a minute by one node. */
    private static final long MOST_REFUSED = 1L << 32;

    private static final Pattern HASH = Pattern.compile("[0-9A-Za-z_-]{43}");
    private static final Pattern INVISIBLE = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Co}\\p{Cs}\\p{Cn}\\p{Zl}\\p{Zp}]");

    private FrequentCallers frequent;
    private final DistinctCallers distinct = new DistinctCallers();
    private long refused;

    /**
     * Creates a group without callers.
     *
     * @param size of the sketch, a power of two
     */
    CallerGroup(int size) {
        this.frequent = new FrequentCallers(size);
    }

    /**
     * Reads what a node sent. Characters that nobody sees are replaced.
     *
     * @throws IllegalArgumentException if it cannot be the callers of a minute
     */
    static CallerGroup ofNode(RefusedMinute.Group sent) {
        FrequentCallers read = FrequentCallers.of(sent.frequent(), SKETCH_SIZE);
        FrequentCallers clean = new FrequentCallers(SKETCH_SIZE);
        for (FrequentCallers.Frequency each : read.counted()) {
            requireFew(each.most());
            clean.add(checked(each.caller()), each.most() - each.error());
        }
        requireFew(sent.refused());
        requireFew(read.error());
        CallerGroup group = new CallerGroup(SKETCH_SIZE);
        clean.forget(read.error());
        group.frequent = clean;
        group.distinct.merge(DistinctCallers.of(sent.distinct()));
        group.refused = sent.refused();
        return group;
    }

    /** Returns a caller that a node told, without characters that nobody sees. */
    static CallerMark checked(CallerMark sent) {
        String masked = sent.masked();
        if (!isHash(sent.hash()) || masked.length() > LONGEST_SENT) {
            throw new IllegalArgumentException("caller: not one (expected: a short text and a hash of 43 characters)");
        }
        if (masked.length() > LONGEST_MASKED) {
            masked = masked.substring(0, masked.offsetByCodePoints(0, LONGEST_MASKED / 2)) + "…";
        }
        return new CallerMark(INVISIBLE.matcher(masked).replaceAll("?"), sent.hash());
    }

    static boolean isHash(String text) {
        return HASH.matcher(text).matches();
    }

    private static void requireFew(long refused) {
        if (refused > MOST_REFUSED) {
            throw new IllegalArgumentException("refused: " + refused + " (expected: at most " + MOST_REFUSED + ")");
        }
    }

    /** Reads a group from a file of this center. */
    static CallerGroup of(RefusedMinute.Group stored, int size) {
        CallerGroup group = new CallerGroup(size);
        group.frequent = FrequentCallers.of(stored.frequent(), size);
        group.distinct.merge(DistinctCallers.of(stored.distinct()));
        group.refused = stored.refused();
        return group;
    }

    void merge(CallerGroup other) {
        frequent.merge(other.frequent);
        distinct.merge(other.distinct);
        refused += other.refused;
    }

    FrequentCallers frequent() {
        return frequent;
    }

    DistinctCallers distinct() {
        return distinct;
    }

    long refused() {
        return refused;
    }

    /** Keeps only the most frequent callers. */
    void cut(int most) {
        if (frequent.callers() > most) {
            frequent = frequent.top(most);
        }
    }

    /** Removes callers. Returns how many were here. */
    int erase(Set<String> hashes) {
        int found = (int) frequent.counted().stream()
                .filter(each -> hashes.contains(each.caller().hash()))
                .count();
        if (found > 0) {
            frequent = frequent.without(hashes);
        }
        for (String hash : hashes) {
            var unused = distinct.forget(hash);
        }
        return found;
    }

    RefusedMinute.Group pack(GroupName name) {
        return new RefusedMinute.Group(
                name.rule(), name.limit(), name.attributes(), refused, frequent.toBytes(), distinct.toBytes());
    }
}
