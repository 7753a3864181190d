package io.sluice.node.gateway.route;

import io.sluice.rules.pattern.PathPattern.Exact;
import io.sluice.rules.pattern.PathPattern.Rest;
import io.sluice.rules.pattern.PathPattern.Segment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Path patterns as a tree of segments. A lookup finds the most specific match: at each segment, an exact text takes precedence over any
 * text, and both over any rest. Must not change once other threads see it.
 *
 * <p>A lookup follows at most two branches at each segment, and none whose patterns contradict the part of the path already read.
 */
public final class PathTree<T> {

    private final Supplier<Map<String, PathTree<T>>> maps;
    private final Map<String, PathTree<T>> named;
    private @Nullable PathTree<T> any;
    private @Nullable T here;
    private @Nullable T rest;

    public PathTree() {
        this(HashMap::new);
    }

    /** @param maps creates an empty map for each branch */
    PathTree(Supplier<Map<String, PathTree<T>>> maps) {
        this.maps = maps;
        this.named = maps.get();
    }

    /** Adds a value. If there is already a value for patterns of the same meaning, that value stays and is returned. */
    @Nullable
    public T put(List<Segment> pattern, T value) {
        PathTree<T> branch = this;
        for (Segment segment : pattern) {
            if (segment instanceof Rest) {
                T known = branch.rest;
                branch.rest = known == null ? value : known;
                return known;
            }
            branch = segment instanceof Exact exact
                    ? branch.named.computeIfAbsent(exact.name(), name -> new PathTree<>(maps))
                    : branch.any();
        }
        T known = branch.here;
        branch.here = known == null ? value : known;
        return known;
    }

    /** Returns the most specific value for a normalized path, or null if there is none. */
    @Nullable
    T find(String path) {
        return find(path, 0);
    }

    private @Nullable T find(String path, int at) {
        if (at == path.length()) {
            return here != null ? here : rest;
        }
        if (path.charAt(at) != '/') {
            return rest;
        }
        int slash = path.indexOf('/', at + 1);
        int end = slash < 0 ? path.length() : slash;
        T found = null;
        if (!named.isEmpty()) {
            PathTree<T> branch = named.get(path.substring(at + 1, end));
            found = branch == null ? null : branch.find(path, end);
        }
        if (found == null && any != null && end > at + 1) {
            found = any.find(path, end);
        }
        return found != null ? found : rest;
    }

    private PathTree<T> any() {
        PathTree<T> known = any;
        if (known == null) {
            known = new PathTree<>(maps);
            any = known;
        }
        return known;
    }
}
