package io.sluice.rules.internal.index;

import io.sluice.rules.Attributes;
import io.sluice.rules.Scope;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Things with a scope, and which of them a request is in. Immutable.
 *
 * <p>Each is filed under one of the constraints of its scope: the one by which a request would find the fewest others with it,
 * in tables by exact value, path pattern, block of addresses, or start and end of a glob. Where many have the same, they are
 * filed by what else they ask for, and so on. A request is looked up in all tables, and of what is found the
 * constraints are compared that were not looked up on the way.
 *
 * <p><b>Cost.</b> A node of the index is visited only if what leads there is true of the request, and each scope is in one
 * place (one for each of its values, if it lists several). So besides scopes that do match, those are compared that
 * match in everything by which they were filed: at most {@link Node#FEW} at a node, unless there is nothing left to tell them
 * apart. The number of nodes visited is bounded by the number of different sequences of attributes under which scopes were
 * filed, times the patterns of each attribute that match, not by the number of scopes. Patterns can be made so that very many
 * match a request in all but one thing that was not looked up; it takes as many patterns to make them.
 */
public final class ScopeIndex<T> {

    private final List<T> items;
    private final Node root = new Node();

    public ScopeIndex(List<T> items, Function<? super T, Scope> scope) {
        this.items = List.copyOf(items);
        for (int i = 0; i < this.items.size(); i++) {
            root.add(new Filed(i, Constraint.of(scope.apply(this.items.get(i))), 1));
        }
        root.settle();
    }

    /** All that the request is in, in the order in which they were given. */
    public List<T> matching(Attributes request) {
        All walk = new All(request);
        root.walk(walk);
        return walk.list();
    }

    /** The first, in the order in which they were given, that the request is in and that passes the test. */
    public Optional<T> first(Attributes request, Predicate<? super T> test) {
        First walk = new First(request, test);
        root.walk(walk);
        return walk.best == items.size() ? Optional.empty() : Optional.of(items.get(walk.best));
    }

    /** How many steps it takes to find what a request is in: look-ups and comparisons. */
    int steps(Attributes request) {
        All walk = new All(request);
        root.walk(walk);
        return walk.steps();
    }

    private final class All extends Walk {
        private int[] found = new int[8];
        private int size;

        All(Attributes request) {
            super(new Subject(request));
        }

        @Override
        boolean wants(Filed filed) {
            if (filed.holds(subject())) {
                meets(filed.position());
            }
            return true;
        }

        @Override
        void meets(int position) {
            if (size == found.length) {
                found = Arrays.copyOf(found, size * 2);
            }
            found[size++] = position;
        }

        List<T> list() {
            Arrays.sort(found, 0, size);
            List<T> list = new ArrayList<>(size);
            for (int i = 0; i < size; i++) {
                if (i == 0 || found[i] != found[i - 1]) {
                    list.add(items.get(found[i]));
                }
            }
            return list;
        }
    }

    private final class First extends Walk {
        private final Predicate<? super T> test;
        private int best = items.size();

        First(Attributes request, Predicate<? super T> test) {
            super(new Subject(request));
            this.test = test;
        }

        @Override
        boolean wants(Filed filed) {
            int position = filed.position();
            if (position < best && filed.holds(subject())) {
                meets(position);
            }
            return position < best;
        }

        @Override
        void meets(int position) {
            if (position < best && test.test(items.get(position))) {
                best = position;
            }
        }
    }
}
