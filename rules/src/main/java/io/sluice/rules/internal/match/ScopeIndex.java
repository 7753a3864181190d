package io.sluice.rules.internal.match;

import io.sluice.rules.internal.table.LookupSubject;
import io.sluice.rules.model.Scope;
import io.sluice.rules.pattern.Attributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Scopes, and which of them a request is in. Immutable.
 *
 * <p>Each is filed under one of the constraints of its scope: the one by which a request would find the fewest others with it,
 * in tables by exact value, path pattern, block of addresses, or start and end of a glob. Where many have the same, they are
 * filed by what else they ask for, and so on. A request is looked up in all tables, and of what is found the
 * constraints are compared that were not looked up on the way.
 *
 * <p><b>Cost.</b> A node of the index is visited only if what leads there is true of the request, and each scope is in one
 * place (one for each of its values, if it lists several). So besides scopes that do match, those are compared that
 * match in everything by which they were filed: at most {@link ScopeGroup#FEW} at a node, unless there is nothing left to tell them
 * apart. The number of nodes visited is bounded by the number of different sequences of attributes under which scopes were
 * filed, times the patterns of each attribute that match, not by the number of scopes. Patterns can be made so that very many
 * match a request in all but one thing that was not looked up; it takes as many patterns to make them.
 *
 * <p><b>Memory.</b> With very many scopes time is what the processor's caches miss. So nodes are objects, but what hangs
 * from them lies in two arrays for the whole index: a scope that is found costs a line of {@link io.sluice.rules.internal.table.TextTable}, one or two of the
 * {@link io.sluice.rules.internal.table.Arena}, and nothing else.
 */
public final class ScopeIndex {

    private final IndexLayout layout;
    private final int scopes;

    /** Of scopes, which are told by their positions from now on. */
    public ScopeIndex(List<Scope> scopes) {
        ScopeGroup all = new ScopeGroup();
        int position = 0;
        for (Scope scope : scopes) {
            all.add(IndexedScope.of(position++, scope));
        }
        this.scopes = position;
        this.layout = new IndexLayout(all);
    }

    /**
     * All that the request is in, in order.
     *
     * @param items what stands for the scopes, by position
     */
    public <T> List<T> matching(Attributes request, List<T> items) {
        All walk = walked(request, items);
        int[] positions = walk.positions();
        List<T> matching = new ArrayList<>(positions.length);
        for (int position : positions) {
            matching.add(items.get(position));
        }
        return Collections.unmodifiableList(matching);
    }

    /** The first that the request is in and that passes the test. */
    public OptionalInt first(Attributes request, IntPredicate test) {
        First walk = new First(request, test);
        walk.start();
        return walk.best == scopes ? OptionalInt.empty() : OptionalInt.of(walk.best);
    }

    /** How many steps it takes to find what a request is in: look-ups and comparisons. */
    int steps(Attributes request) {
        return walked(request, Collections.nCopies(scopes, request)).steps();
    }

    private All walked(Attributes request, List<?> items) {
        All walk = new All(request, items);
        walk.start();
        return walk;
    }

    private final class All extends IndexWalk {
        private int[] found = new int[8];
        private int size;
        private final List<?> items;

        /** Read as soon as it is found, although it is used later: meanwhile it comes closer to the processor. */
        @SuppressWarnings("UnusedVariable")
        private @Nullable Object latest;

        All(Attributes request, List<?> items) {
            super(layout, new LookupSubject(request));
            this.items = items;
        }

        @Override
        boolean wants(int position) {
            return true;
        }

        @Override
        void meets(int position) {
            if (size == found.length) {
                found = Arrays.copyOf(found, size * 2);
            }
            found[size++] = position;
            latest = items.get(position);
        }

        int[] positions() {
            Arrays.sort(found, 0, size);
            int distinct = 0;
            for (int i = 0; i < size; i++) {
                if (i == 0 || found[i] != found[i - 1]) {
                    found[distinct++] = found[i];
                }
            }
            return Arrays.copyOf(found, distinct);
        }
    }

    private final class First extends IndexWalk {
        private final IntPredicate test;
        private int best = scopes;

        First(Attributes request, IntPredicate test) {
            super(layout, new LookupSubject(request));
            this.test = test;
        }

        @Override
        boolean wants(int position) {
            return position < best;
        }

        @Override
        void meets(int position) {
            if (test.test(position)) {
                best = position;
            }
        }
    }
}
