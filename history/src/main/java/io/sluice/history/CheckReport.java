package io.sluice.history;

import java.util.List;

/**
 * The result of checking a history. Immutable.
 *
 * @param violations the violations that are kept: the first few of each kind and count
 * @param found how many violations there were in all
 * @param steps how many steps of the store were checked
 * @param missing how many steps of the store were not recorded, so that their effect is unknown
 * @param unchecked how many steps could not be put in order, because a store that had forgotten some used their numbers again
 * @param answers how many answers were checked
 * @param spends how often permits of a lease were spent or put back
 * @param earlier how many of the missing steps come before the first recorded step of their count
 * @param strangers how many counts were certainly changed by processes that do not record
 * @param steady whether no process saw the store's time step back by more than a second. Otherwise it was not judged whether leases
 *     stayed within their share, and whether a reservation was settled twice
 */
public record CheckReport(
        List<Violation> violations,
        long found,
        long steps,
        long missing,
        long unchecked,
        long answers,
        long spends,
        long earlier,
        long strangers,
        boolean steady) {

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
