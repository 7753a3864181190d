package io.sluice.rules.internal.index;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Values by what one attribute is. */
final class Fork<V> {

    private final String attribute;
    private final Map<String, V> texts = new HashMap<>();
    private @Nullable GlobTable<V> globs;
    private @Nullable BlockTable<V> blocks;
    private @Nullable PathTrie<V> routes;
    private @Nullable PartTable<V> parts;

    Fork(String attribute) {
        this.attribute = attribute;
    }

    V at(Key key, Supplier<V> fresh) {
        if (key instanceof Key.Text text) {
            return texts.computeIfAbsent(text.text(), absent -> fresh.get());
        }
        if (key instanceof Key.Wild wild) {
            globs = globs != null ? globs : new GlobTable<>();
            return globs.at(wild.glob(), fresh);
        }
        if (key instanceof Key.Block block) {
            blocks = blocks != null ? blocks : new BlockTable<>();
            return blocks.at(block.network(), fresh);
        }
        if (key instanceof Key.Part part) {
            parts = parts != null ? parts : new PartTable<>();
            return parts.at(part, fresh);
        }
        routes = routes != null ? routes : new PathTrie<>();
        return routes.at(((Key.Route) key).pattern(), fresh);
    }

    /** How many steps it took: looking up, parts of the path tree, patterns compared. */
    int visit(Subject subject, Found<V> found) {
        String value = subject.get(attribute);
        if (value == null) {
            return 0;
        }
        int steps = 1;
        V exact = texts.get(value);
        if (exact != null) {
            found.found(exact);
        }
        if (globs != null) {
            steps += globs.visit(value, found);
        }
        if (blocks != null) {
            byte[] address = subject.address(value);
            if (address.length > 0) {
                blocks.visit(address, found);
            }
        }
        if (routes != null) {
            steps += routes.visit(subject.segments(value), found);
        }
        if (parts != null) {
            steps += parts.visit(subject.segments(value), found);
        }
        return steps;
    }
}
