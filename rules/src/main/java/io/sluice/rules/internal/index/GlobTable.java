package io.sluice.rules.internal.index;

import io.sluice.rules.Glob;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/** Values by pattern: found by how the text starts, then by how it ends, and then compared. Does not change once it is filled. */
public final class GlobTable<V> {

    private final EndsTable<EndsTable<Map<Glob, V>>> starts = new EndsTable<>(true);

    public V at(Glob glob, Supplier<V> fresh) {
        return starts.at(glob.prefix(), () -> new EndsTable<>(false))
                .at(glob.suffix(), LinkedHashMap::new)
                .computeIfAbsent(glob, absent -> fresh.get());
    }

    /** Whether there is a pattern that matches. */
    public boolean has(String text) {
        boolean[] has = new boolean[1];
        visit(text, value -> has[0] = true);
        return has[0];
    }

    void visit(String text, Found<V> found) {
        starts.visit(
                text,
                ends -> ends.visit(
                        text,
                        globs -> globs.forEach((glob, value) -> {
                            if (glob.matches(text)) {
                                found.found(value);
                            }
                        })));
    }
}
