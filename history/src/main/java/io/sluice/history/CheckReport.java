package io.sluice.history;

import java.util.List;

/**
 * What became of checking a history. Immutable.
 *
 * @param violations those that are kept: of each kind and count the first few
 * @param found how many there were
 * @param steps how many steps of the store were checked
 * @param missing how many steps of the store nobody heard of: what they did is not known
 * @param unchecked how many steps could not be put in order, because a store that had forgotten some gave their numbers again
 * @param answers how many answers were checked
 * @param spends how often something was spent of a lease or put back
 */
public record CheckReport(
        List<Violation> violations, long found, long steps, long missing, long unchecked, long answers, long spends) {

    public CheckReport {
        violations = List.copyOf(violations);
    }

    public boolean isClean() {
        return found == 0;
    }

    @Override
    public String toString() {
        StringBuilder text =
                new StringBuilder("%d violations in %d steps (%d more missing, %d unchecked), %d answers, %d spends"
                        .formatted(found, steps, missing, unchecked, answers, spends));
        violations.forEach(violation -> text.append('\n').append(violation));
        return text.toString();
    }
}
