package io.sluice.rules.internal.index;

import java.util.List;

/**
 * A scope on its way into the index.
 *
 * @param position in the order of the document
 * @param constraints that no node above has looked up yet
 * @param copies how many of it there are by now: one for each key of a constraint that it was filed under
 */
record Filed(int position, List<Constraint> constraints, int copies) {

    /**
     * Several lists of values in one scope would multiply. The first that is looked up may be as long as it likes, so that the
     * index grows with the document; after that there are never more copies than this.
     */
    private static final int MOST_COPIES = 16;

    private boolean allows(Constraint constraint) {
        return (long) copies * constraint.keys().size() <= MOST_COPIES;
    }

    /** What has to be compared: that a segment of the path is right follows from the whole path. */
    List<Constraint> compared() {
        return constraints.stream().filter(Constraint::counts).toList();
    }

    List<Constraint> choices() {
        return copies == 1
                ? constraints
                : constraints.stream().filter(this::allows).toList();
    }

    Filed lookedUp(Constraint constraint) {
        List<Constraint> rest = constraints.stream()
                .filter(other -> !other.equals(constraint) && !other.follows(constraint))
                .toList();
        return new Filed(position, rest, copies * constraint.keys().size());
    }
}
