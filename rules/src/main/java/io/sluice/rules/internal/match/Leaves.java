package io.sluice.rules.internal.match;

import io.sluice.rules.internal.table.Arena;
import io.sluice.rules.internal.table.LookupSubject;
import java.util.ArrayList;
import java.util.List;

/**
 * Scopes that are compared one by one, as words of the arena. Immutable once all are written.
 *
 * <p>One scope consists of its position, the number of its constraints, and two words for each constraint: the attribute and the
 * required value. The value is the address of a text, or (if negative) the number of a more complex constraint. Several scopes
 * consist of their number and their targets.
 */
final class Leaves {

    private static final int HEAD = 2;
    private static final int EACH = 2;

    private final Arena arena;
    private final List<String> attributes = new ArrayList<>(0);
    private final List<Constraint> constraints = new ArrayList<>(0);

    Leaves(Arena arena) {
        this.arena = arena;
    }

    int add(String attribute) {
        attributes.add(attribute);
        return attributes.size() - 1;
    }

    /** Adds a constraint and returns the number that stands for it in place of a text. */
    int add(Constraint constraint) {
        constraints.add(constraint);
        return ~(constraints.size() - 1);
    }

    /** Returns the position of the single scope that a lookup led to. */
    int position(int target) {
        int number = LeafAddress.number(target);
        return LeafAddress.kind(target) == LeafAddress.SCOPE ? number : arena.word(number);
    }

    /** Returns the number of scopes in a leaf with several. */
    int size(int leaf) {
        return arena.word(leaf);
    }

    /** Returns the target of one of several scopes. */
    int target(int leaf, int index) {
        return arena.word(leaf + 1 + index);
    }

    /** Returns whether all constraints hold that were not looked up. */
    boolean hold(int target, LookupSubject subject) {
        if (LeafAddress.kind(target) == LeafAddress.SCOPE) {
            return true;
        }
        int leaf = LeafAddress.number(target);
        int end = leaf + HEAD + arena.word(leaf + 1) * EACH;
        for (int at = leaf + HEAD; at < end; at += EACH) {
            if (!holds(arena.word(at), arena.word(at + 1), subject)) {
                return false;
            }
        }
        return true;
    }

    private boolean holds(int attribute, int wanted, LookupSubject subject) {
        if (wanted < 0) {
            return constraints.get(~wanted).holds(subject);
        }
        String value = subject.get(attributes.get(attribute));
        return value != null && arena.isText(wanted, value, 0, value.length());
    }
}
