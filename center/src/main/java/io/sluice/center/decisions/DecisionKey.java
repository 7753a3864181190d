package io.sluice.center.decisions;

import io.sluice.center.refusal.RefusedException;
import java.util.Comparator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The position of a decision among all decisions. It is unique and never changes.
 *
 * @param atMillis the time of the decision, in milliseconds since 1970
 * @param position the position of its batch in the journal
 * @param index the index within its batch
 */
record DecisionKey(long atMillis, long position, int index) implements Comparable<DecisionKey> {

    private static final Comparator<DecisionKey> ORDER = Comparator.comparingLong(DecisionKey::atMillis)
            .thenComparingLong(DecisionKey::position)
            .thenComparingInt(DecisionKey::index);

    private static final Pattern TEXT = Pattern.compile("(\\d{1,15})-(\\d{1,18})-(\\d{1,9})");

    @Override
    public int compareTo(DecisionKey other) {
        return ORDER.compare(this, other);
    }

    /** Returns the key as a cursor. */
    String text() {
        return atMillis + "-" + position + "-" + index;
    }

    /** Reads a cursor. */
    static DecisionKey parse(String text) {
        Matcher parts = TEXT.matcher(text);
        if (!parts.matches()) {
            throw RefusedException.invalid("before: not a cursor (expected: \"next\" of an earlier answer)");
        }
        return new DecisionKey(
                Long.parseLong(parts.group(1)), Long.parseLong(parts.group(2)), Integer.parseInt(parts.group(3)));
    }
}
