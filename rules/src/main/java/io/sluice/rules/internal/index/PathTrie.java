package io.sluice.rules.internal.index;

import io.sluice.rules.PathPattern;
import io.sluice.rules.PathPattern.Exact;
import io.sluice.rules.PathPattern.Rest;
import io.sluice.rules.PathPattern.Segment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Values by path pattern, as a tree of segments.
 *
 * <p>A look-up goes on in at most two branches at each segment, the one with the segment's text and the one for any text. So it
 * visits no part of the tree twice, and no part whose patterns disagree with what was read of the path.
 */
final class PathTrie<V> {

    private final Branch<V> root = new Branch<>();

    V at(PathPattern pattern, Supplier<V> fresh) {
        Branch<V> branch = root;
        for (Segment segment : pattern.segments()) {
            if (segment instanceof Rest) {
                V rest = branch.rest != null ? branch.rest : fresh.get();
                branch.rest = rest;
                return rest;
            }
            branch = segment instanceof Exact exact ? branch.named(exact.name()) : branch.any();
        }
        V here = branch.here != null ? branch.here : fresh.get();
        branch.here = here;
        return here;
    }

    /** How many parts of the tree were visited. */
    int visit(Segments path, Found<V> found) {
        return visit(root, path, 0, found);
    }

    private static <V> int visit(Branch<V> branch, Segments path, int depth, Found<V> found) {
        List<String> parts = path.parts();
        if (branch.rest != null) {
            found.found(branch.rest);
        }
        if (depth == parts.size()) {
            if (branch.here != null && path.whole()) {
                found.found(branch.here);
            }
            return 1;
        }
        String part = parts.get(depth);
        Branch<V> named = branch.named == null ? null : branch.named.get(part);
        int visited = 1;
        if (named != null) {
            visited += visit(named, path, depth + 1, found);
        }
        if (branch.any != null && !part.isEmpty()) {
            visited += visit(branch.any, path, depth + 1, found);
        }
        return visited;
    }

    private static final class Branch<V> {
        private @Nullable Map<String, Branch<V>> named;
        private @Nullable Branch<V> any;
        private @Nullable V here;
        private @Nullable V rest;

        Branch<V> named(String name) {
            Map<String, Branch<V>> all = named != null ? named : new HashMap<>(2);
            named = all;
            return all.computeIfAbsent(name, absent -> new Branch<>());
        }

        Branch<V> any() {
            Branch<V> branch = any != null ? any : new Branch<>();
            any = branch;
            return branch;
        }
    }
}
