package io.sluice.rules.internal.index;

import io.sluice.rules.Glob;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Values by pattern: found by how the text starts, then by how it ends, then by what it has between, and then compared. Does not
 * change once it is filled.
 */
public final class GlobTable<V> {

    private final EndsTable<EndsTable<Alike<V>>> starts = new EndsTable<>(true);

    public V at(Glob glob, Supplier<V> fresh) {
        return starts.at(glob.prefix(), () -> new EndsTable<>(false))
                .at(glob.suffix(), Alike::new)
                .at(glob, fresh);
    }

    /** Whether there is a pattern that matches. */
    public boolean has(String text) {
        boolean[] has = new boolean[1];
        visit(text, value -> has[0] = true);
        return has[0];
    }

    /** How many patterns were compared. */
    int visit(String text, Found<V> found) {
        Comparison<V> comparison = new Comparison<>(text, found);
        starts.visit(text, ends -> ends.visit(text, alike -> alike.visit(comparison)));
        return comparison.count;
    }

    /** Patterns that start and end alike. */
    private static final class Alike<V> {

        private final Map<Glob, V> all = new HashMap<>(2);
        private final List<Filing<V>> anywhere = new ArrayList<>(1);
        private @Nullable RunTable<Filing<V>> runs;

        V at(Glob glob, Supplier<V> fresh) {
            return all.computeIfAbsent(glob, absent -> {
                V value = fresh.get();
                Filing<V> filing = new Filing<>(glob, value);
                if (anywhere.isEmpty() || glob.inner().isEmpty()) {
                    anywhere.add(filing);
                } else {
                    runs = runs != null ? runs : new RunTable<>();
                    runs.add(glob.inner(), filing);
                }
                return value;
            });
        }

        void visit(Comparison<V> comparison) {
            for (Filing<V> filing : anywhere) {
                comparison.found(filing);
            }
            if (runs != null) {
                runs.visit(comparison.text, comparison);
            }
        }
    }

    private record Filing<V>(Glob glob, V value) {}

    private static final class Comparison<V> implements Found<Filing<V>> {
        private final String text;
        private final Found<V> found;
        private int count;

        Comparison(String text, Found<V> found) {
            this.text = text;
            this.found = found;
        }

        @Override
        public void found(Filing<V> filing) {
            count++;
            if (filing.glob().matches(text)) {
                found.found(filing.value());
            }
        }
    }
}
