package io.sluice.history;

import java.util.List;

/**
 * The result of checking a history. Immutable.
 *
 * @param violations the first few violations of each kind and count
 * @param found the number of all violations
 * @param steps the number of checked steps of the store
 * @param missing the number of steps of the store that were not recorded, so that their effect is unknown
 * @param unchecked the number of steps that could not be put in order, because a store lost steps and used their numbers again
 * @param answers the number of checked answers
 * @param spends the number of times that permits of a lease were spent or put back
 * @param earlier the number of missing steps before the first recorded step of their count
 * @param strangers the number of counts that processes without a recording certainly changed
 * @param steady true if no process saw the store's time step back by more than a second. Otherwise the shares of leases and repeated
 *     settlements of one reservation were not checked
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
