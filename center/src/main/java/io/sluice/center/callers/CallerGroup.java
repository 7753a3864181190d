package io.sluice.center.callers;

import io.sluice.rules.caller.CallerMark;
import io.sluice.runtime.data.DistinctCallers;
import io.sluice.runtime.data.FrequentCallers.Counted;
import io.sluice.runtime.data.FrequentCallers.Frequency;
import io.sluice.runtime.data.RefusedMinute;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Refused callers of one kind, merged from several nodes or minutes. Not thread-safe.
 *
 * <p>The group keeps the most frequent callers. A caller that was left out was refused at most as often as the error states, and
 * no count is off by more than the error. When two groups are merged, their errors add up.
 */
final class CallerGroup {

    /** Higher sums cannot be read back. */
    private static final long MOST_SUM = 1L << 48;

    /** The number of callers up to which counts are exact. */
    static final int MOST_CALLERS = 384;

    /** Longer texts are cut. Nodes hide all but a few characters of each attribute. */
    private static final int LONGEST_MASKED = 120;

    private static final int LONGEST_SENT = 1_000;
    private static final int HASH_CHARACTERS = 43;

    /** The maximum number of refusals of a caller or a group by one node in a minute. */
    private static final long MOST_REFUSED = 1L << 32;

    private final int most;
    private final Map<String, Count> callers = new HashMap<>();
    private final DistinctCallers distinct = new DistinctCallers();
    private long error;
    private long refused;

    /** The lower bound of how often a caller was refused. */
    private static final class Count {
        private String masked;
        private long least;

        Count(String masked) {
            this.masked = masked;
        }
    }

    /**
     * Creates an empty group.
     *
     * @param most the number of callers up to which counts are exact
     */
    CallerGroup(int most) {
        this.most = most;
    }

    /**
     * Reads a group that a node sent. Invisible characters are replaced.
     *
     * @throws IllegalArgumentException if the group cannot be the callers of a minute
     */
    static CallerGroup ofNode(RefusedMinute.Group sent) {
        Counted counted = Counted.of(sent.frequent());
        CallerGroup group = new CallerGroup(MOST_CALLERS);
        for (Frequency each : counted.callers()) {
            requireFew(each.most());
            group.add(checked(each.caller()), each.most() - each.error());
        }
        requireFew(sent.refused());
        requireFew(counted.error());
        group.error += counted.error();
        group.distinct.merge(DistinctCallers.of(sent.distinct()));
        group.refused = sent.refused();
        return group;
    }

    /** Returns a caller that a node sent, with a bounded text and without invisible characters. */
    static CallerMark checked(CallerMark sent) {
        String masked = sent.masked();
        if (!isHash(sent.hash()) || masked.length() > LONGEST_SENT) {
            throw new IllegalArgumentException("caller: not one (expected: a short text and a hash of 43 characters)");
        }
        if (masked.length() > LONGEST_MASKED) {
            masked = masked.substring(0, masked.offsetByCodePoints(0, LONGEST_MASKED / 2)) + "…";
        }
        return masked.chars().anyMatch(CallerGroup::isSuspect)
                ? new CallerMark(visible(masked), sent.hash())
                : new CallerMark(masked, sent.hash());
    }

    private static boolean isSuspect(int character) {
        return character < ' ' || character > '~';
    }

    private static String visible(String text) {
        StringBuilder visible = new StringBuilder();
        text.codePoints().forEach(each -> {
            switch (Character.getType(each)) {
                case Character.CONTROL,
                        Character.FORMAT,
                        Character.PRIVATE_USE,
                        Character.SURROGATE,
                        Character.UNASSIGNED,
                        Character.LINE_SEPARATOR,
                        Character.PARAGRAPH_SEPARATOR -> visible.append('?');
                default -> visible.appendCodePoint(each);
            }
        });
        return visible.toString();
    }

    static boolean isHash(String text) {
        return text.length() == HASH_CHARACTERS
                && text.chars()
                        .allMatch(each -> (each >= '0' && each <= '9')
                                || (each >= 'A' && each <= 'Z')
                                || (each >= 'a' && each <= 'z')
                                || each == '-'
                                || each == '_');
    }

    private static void requireFew(long refused) {
        if (refused > MOST_REFUSED) {
            throw new IllegalArgumentException("refused: " + refused + " (expected: at most " + MOST_REFUSED + ")");
        }
    }

    /** Reads a group from a file of this center. */
    static CallerGroup of(RefusedMinute.Group stored) {
        CallerGroup group = new CallerGroup(MOST_CALLERS);
        group.merge(stored);
        return group;
    }

    /** Adds a group from a file of this center. */
    void merge(RefusedMinute.Group stored) {
        Counted counted = Counted.of(stored.frequent());
        counted.callers().forEach(each -> add(each.caller(), each.most() - each.error()));
        error += counted.error();
        distinct.merge(DistinctCallers.of(stored.distinct()));
        refused = Math.min(MOST_SUM, refused + stored.refused());
    }

    void merge(CallerGroup other) {
        other.callers.forEach((hash, count) -> add(hash, count.masked, count.least));
        error += other.error;
        distinct.merge(other.distinct);
        refused = Math.min(MOST_SUM, refused + other.refused);
    }

    private void add(CallerMark caller, long times) {
        add(caller.hash(), caller.masked(), times);
    }

    private void add(String hash, String masked, long times) {
        Count count = callers.computeIfAbsent(hash, unused -> new Count(masked));
        count.least += times;
        if (masked.isEmpty()) {
            // An empty text means that the value is hidden now.
            count.masked = "";
        }
        if (callers.size() > 2 * most) {
            cut(most);
        }
    }

    /** Returns all known callers, highest counts first. */
    List<Frequency> counted() {
        List<Frequency> all = new ArrayList<>(callers.size());
        callers.forEach((hash, count) ->
                all.add(new Frequency(new CallerMark(count.masked, hash), count.least + error, error)));
        all.sort(Comparator.comparingLong(Frequency::most).reversed().thenComparing(each -> each.caller()
                .hash()));
        return all;
    }

    DistinctCallers distinct() {
        return distinct;
    }

    long refused() {
        return refused;
    }

    int callers() {
        return callers.size();
    }

    /** Keeps only the most frequent callers. */
    void cut(int count) {
        if (callers.size() > count) {
            List<Frequency> all = counted();
            // No caller that is left out was refused more often than the first of them.
            error = all.get(count).most();
            all.subList(count, all.size())
                    .forEach(each -> callers.remove(each.caller().hash()));
        }
    }

    /** Removes callers. Returns how many of them were found. */
    int erase(Set<String> hashes) {
        int found = 0;
        for (String hash : hashes) {
            found += callers.remove(hash) == null ? 0 : 1;
            boolean unused = distinct.forget(hash);
        }
        return found;
    }

    RefusedMinute.Group pack(GroupName name) {
        cut(most);
        return new RefusedMinute.Group(
                name.rule(),
                name.limit(),
                name.attributes(),
                refused,
                new Counted(error, counted()).toBytes(),
                distinct.toBytes());
    }
}
