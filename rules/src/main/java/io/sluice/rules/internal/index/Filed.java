package io.sluice.rules.internal.index;

import io.sluice.rules.Scope;
import java.util.List;

/**
 * A scope on its way into the index.
 *
 * @param position in the order of the document
 * @param constraints that no node above has looked up yet
 * @param copies how many of it there are by now: one for each key of a constraint that it was filed under
 * @param depth how many constraints were looked up
 */
record Filed(int position, List<Constraint> constraints, int copies, int depth) {

    /**
     * Several lists of values in one scope would multiply. The first that is looked up may be as long as it likes, so that the
     * index grows with the document; after that there are never more copies than this.
     */
    private static final int MOST_COPIES = 16;

    /** Scopes that so many attributes do not tell apart are compared. A scope can have thousands of constraints. */
    private static final int DEEPEST = 16;

    /** So many constraints are considered at once. */
    private static final int MOST_CHOICES = 32;

    static Filed of(int position, Scope scope) {
        return new Filed(position, Constraint.of(scope), 1, 0);
    }

    private boolean allows(Constraint constraint) {
        return copies == 1 || (long) copies * constraint.keys().size() <= MOST_COPIES;
    }

    /** What has to be compared: that a segment of the path is right follows from the whole path. */
    List<Constraint> compared() {
        return constraints.stream().filter(Constraint::counts).toList();
    }

    /** The constraints under which it may be filed. */
    List<Constraint> choices() {
        if (depth == DEEPEST) {
            return List.of();
        }
        return copies == 1 && constraints.size() <= MOST_CHOICES
                ? constraints
                : constraints.stream().filter(this::allows).limit(MOST_CHOICES).toList();
    }

    Filed lookedUp(Constraint constraint) {
        List<Constraint> rest = constraints.stream()
                .filter(other -> !other.equals(constraint) && !other.follows(constraint))
                .toList();
        return new Filed(position, rest, copies * constraint.keys().size(), depth + 1);
    }
}
