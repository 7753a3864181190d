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
 * An index of scopes that finds the scopes which match a request. Immutable.
 *
 * <p>Each scope is indexed under the constraint by which a request would find the fewest other scopes. There are tables by exact value,
 * path pattern, address block, and start and end of a glob. If many scopes share a key, they are indexed again by another constraint, and
 * so on. A request is looked up in all tables. For each scope found, the constraints that were not looked up on the way are compared.
 *
 * <p><b>Cost.</b> A node of the index is visited only if the lookups that lead to it are true for the request. Each scope is in one place
 * (one per value, if it lists several). So apart from the matching scopes, only scopes that match in all constraints by which they were
 * indexed are compared: at most {@link ScopeGroup#FEW} per node, unless nothing is left to distinguish them. The number of visited nodes is
 * bounded by the number of different sequences of attributes under which scopes were indexed, times the matching patterns of each
 * attribute. It does not depend on the number of scopes. Patterns can be written so that very many of them match a request in all
 * constraints except one that was not looked up. But the cost is then proportional to the number of these patterns.
 *
 * <p><b>Memory.</b> With very many scopes, cache misses of the processor dominate the time. So nodes are objects, but all data below them
 * is in two arrays for the whole index. A scope that is found costs only one cache line of {@link io.sluice.rules.internal.table.TextTable}
 * and one or two of the {@link io.sluice.rules.internal.table.Arena}.
 */
public final class ScopeIndex {

    private final IndexLayout layout;
    private final int scopes;

    /** Creates an index of scopes. From then on, a scope is identified by its position. */
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
     * Returns the items of all scopes that match the request in any reading of its path, in order.
     *
     * @param items one item per scope, by position
     */
    public <T> List<T> matching(Attributes request, List<T> items) {
        All walk = walked(request, items);
        for (Attributes other : request.otherReadings()) {
            walk.add(walked(other, items));
        }
        int[] positions = walk.positions();
        List<T> matching = new ArrayList<>(positions.length);
        for (int position : positions) {
            matching.add(items.get(position));
        }
        return Collections.unmodifiableList(matching);
    }

    /** Returns the first scope that matches the request in its normal form and passes the test. */
    public OptionalInt first(Attributes request, IntPredicate test) {
        First walk = new First(request, test);
        walk.start();
        return walk.best == scopes ? OptionalInt.empty() : OptionalInt.of(walk.best);
    }

    /** Returns the number of steps to find the scopes of a request: lookups and comparisons. */
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

        /**
         * The item of the latest scope found. It is read immediately, although it is used later, to bring it into the processor's cache in
         * the meantime.
         */
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

        void add(All other) {
            for (int i = 0; i < other.size; i++) {
                meets(other.found[i]);
            }
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
