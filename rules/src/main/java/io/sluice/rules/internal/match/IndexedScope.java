package io.sluice.rules.internal.match;

import io.sluice.rules.model.Scope;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A scope while the index is being built. Not thread-safe. */
final class IndexedScope {

    /**
     * The maximum number of copies of a scope once more than one list of values is indexed, because several lists in one scope would
     * multiply. The first list may have any length, so that the index grows in proportion to the document.
     */
    private static final int MOST_COPIES = 16;

    /**
     * The maximum number of attributes that distinguish scopes. Scopes that these attributes do not distinguish are compared one by one. A
     * scope can have thousands of constraints.
     */
    private static final int DEEPEST = 16;

    /** The maximum number of constraints that are considered at a time. */
    private static final int MOST_CHOICES = 32;

    private final int position;
    private final List<Constraint> constraints;
    private final int copies;
    private final int depth;

    /** Constraints on single segments. Created on first use, because most scopes are distinguished without them. */
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

    /** Returns the position in document order. */
    int position() {
        return position;
    }

    /** Returns the number of copies so far: one for each key of a constraint under which the scope was indexed. */
    int copies() {
        return copies;
    }

    /** Returns the constraints that no node above has looked up and that must still be compared. */
    List<Constraint> constraints() {
        return constraints;
    }

    /** Returns the constraints under which the scope may be indexed. */
    List<Constraint> choices() {
        return depth == DEEPEST ? List.of() : allowed(constraints);
    }

    /** Returns further constraints under which the scope may be indexed, which follow from its path. */
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

    /**
     * Returns the scope as it is after a lookup by this constraint.
     *
     * @param constraint one of its choices or parts
     */
    IndexedScope lookedUp(Constraint constraint) {
        List<Constraint> rest = without(constraint, constraints);
        List<Constraint> restOfParts = parts == null ? null : without(constraint, parts);
        return new IndexedScope(
                position, rest, restOfParts, copies * constraint.keys().size(), depth + 1);
    }

    @SuppressWarnings("ReferenceEquality") // it is the same object
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
