package io.sluice.rules.internal.match;

import io.sluice.rules.model.Scope;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A scope on its way into the index. For one thread. */
final class IndexedScope {

    /**
     * Several lists of values in one scope would multiply. The first that is looked up may be as long as it likes, so that the
     * index grows with the document; after that there are never more copies than this.
     */
    private static final int MOST_COPIES = 16;

    /** Scopes that so many attributes do not tell apart are compared. A scope can have thousands of constraints. */
    private static final int DEEPEST = 16;

    /** So many constraints are considered at once. */
    private static final int MOST_CHOICES = 32;

    private final int position;
    private final List<Constraint> constraints;
    private final int copies;
    private final int depth;

    /** Made by whoever asks first: most scopes are told apart without. */
    private @Nullable List<Constraint> parts;

    private IndexedScope(
            int position, List<Constraint> constraints, @Nullable List<Constraint> parts, int copies, int depth) {
        this.position = position;
        this.constraints = constraints;
        this.parts = parts;
        this.copies = copies;
        this.depth = depth;
    }

    static IndexedScope of(int position, Scope scope) {
        return new IndexedScope(position, Constraint.of(scope), null, 1, 0);
    }

    /** In the order of the document. */
    int position() {
        return position;
    }

    /** How many of it there are by now: one for each key of a constraint that it was filed under. */
    int copies() {
        return copies;
    }

    /** What no node above has looked up yet, and has to be compared. */
    List<Constraint> constraints() {
        return constraints;
    }

    /** The constraints under which it may be filed. */
    List<Constraint> choices() {
        return depth == DEEPEST ? List.of() : allowed(constraints);
    }

    /** Those under which it may be filed besides, which follow from its path. */
    List<Constraint> parts() {
        if (depth == DEEPEST) {
            return List.of();
        }
        List<Constraint> known = parts;
        if (known == null) {
            known = new ArrayList<>();
            for (Constraint constraint : constraints) {
                constraint.addParts(known);
            }
            parts = known;
        }
        return allowed(known);
    }

    private List<Constraint> allowed(List<Constraint> some) {
        return copies == 1 && some.size() <= MOST_CHOICES
                ? some
                : some.stream().filter(this::allows).limit(MOST_CHOICES).toList();
    }

    private boolean allows(Constraint constraint) {
        return copies == 1 || (long) copies * constraint.keys().size() <= MOST_COPIES;
    }

    /** @param constraint one of its choices, or one of its parts */
    IndexedScope lookedUp(Constraint constraint) {
        List<Constraint> rest = without(constraint, constraints);
        List<Constraint> restOfParts = parts == null ? null : without(constraint, parts);
        return new IndexedScope(
                position, rest, restOfParts, copies * constraint.keys().size(), depth + 1);
    }

    @SuppressWarnings("ReferenceEquality") // it is the very same one
    private static List<Constraint> without(Constraint constraint, List<Constraint> some) {
        List<Constraint> rest = new ArrayList<>(some.size());
        for (Constraint other : some) {
            if (other != constraint && !other.follows(constraint)) {
                rest.add(other);
            }
        }
        return rest;
    }
}
