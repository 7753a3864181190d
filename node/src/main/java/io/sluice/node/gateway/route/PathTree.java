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
 * Path patterns as a tree of segments, of which the most specific that matches is found: at each segment its text goes before any
 * text, and both before any rest. Not to be changed once others see it.
 *
 * <p>A look-up goes on in at most two branches at each segment, and in none whose patterns disagree with what was read of the path.
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

    /** @param maps makes the map of each branch, empty */
    PathTree(Supplier<Map<String, PathTree<T>>> maps) {
        this.maps = maps;
        this.named = maps.get();
    }

    /** Files a value; returns the one that was there for patterns of the same meaning, and then stays there. */
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

    /** The most specific for a path in its one form; null if there is none. */
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
