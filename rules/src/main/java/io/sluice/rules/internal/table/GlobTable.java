package io.sluice.rules.internal.table;

import io.sluice.rules.pattern.Glob;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Maps patterns to numbers. A pattern with one star and no other wildcard is found by the start or the end of the text, or both,
 * and needs no comparison. Other patterns are found by these and by the text between their wildcards, and are then compared. Does
 * not change once it is filled.
 */
public final class GlobTable {

    private final TextTable texts;
    private final EndsTable openings;
    private final EndsTable closings;
    private final EndsTable starts;
    private final List<EndsTable> ends = new ArrayList<>(0);
    private final List<Alike> alike = new ArrayList<>(0);

    public GlobTable(TextTable texts) {
        this.texts = texts;
        this.openings = EndsTable.ofStarts(texts);
        this.closings = EndsTable.ofEnds(texts);
        this.starts = EndsTable.ofStarts(texts);
    }

    /** Creates a table for {@link #has}. */
    public static GlobTable of(Collection<Glob> globs) {
        GlobTable table = new GlobTable(SharedTables.forKeys(globs.size()).texts());
        globs.forEach(glob -> table.put(glob, 0));
        return table;
    }

    public void put(Glob glob, int value) {
        if (glob.isOneStar() && glob.suffix().isEmpty()) {
            openings.put(glob.prefix(), value);
        } else if (glob.isOneStar() && glob.prefix().isEmpty()) {
            closings.put(glob.suffix(), value);
        } else {
            alike(glob).put(glob, value);
        }
    }

    /** Returns whether a pattern matches. */
    public boolean has(String text) {
        boolean[] has = new boolean[1];
        HitListener found = value -> has[0] = true;
        openings.visit(text, found);
        closings.visit(text, found);
        compare(text, found);
        return has[0];
    }

    /** Adds lookups for the patterns that need no comparison, and compares the others. Returns the number of comparisons. */
    public int ask(String text, LookupBatch questions, HitListener found) {
        openings.ask(text, questions);
        closings.ask(text, questions);
        return compare(text, found);
    }

    private int compare(String text, HitListener found) {
        if (ends.isEmpty()) {
            return 0;
        }
        Comparison comparison = new Comparison(text, found);
        starts.visit(
                text, end -> ends.get(end).visit(text, each -> alike.get(each).visit(comparison)));
        return comparison.count;
    }

    private Alike alike(Glob glob) {
        int end = starts.get(glob.prefix());
        if (end == TextTable.NONE) {
            end = ends.size();
            ends.add(EndsTable.ofEnds(texts));
            starts.put(glob.prefix(), end);
        }
        int each = ends.get(end).get(glob.suffix());
        if (each == TextTable.NONE) {
            each = alike.size();
            alike.add(new Alike());
            ends.get(end).put(glob.suffix(), each);
        }
        return alike.get(each);
    }

    /** Patterns with the same start and end. */
    private static final class Alike {

        private @Nullable Filing first;
        private List<Filing> anywhere = List.of();
        private @Nullable SubstringTable<Filing> runs;

        void put(Glob glob, int value) {
            Filing filing = new Filing(
                    glob,
                    value,
                    glob.isOneStar(),
                    glob.prefix().length() + glob.suffix().length());
            if (first == null) {
                first = filing;
            } else if (glob.inner().isEmpty()) {
                anywhere = anywhere.isEmpty() ? new ArrayList<>(1) : anywhere;
                anywhere.add(filing);
            } else {
                runs = runs != null ? runs : new SubstringTable<>();
                runs.add(glob.inner(), filing);
            }
        }

        void visit(Comparison comparison) {
            if (first != null) {
                comparison.accept(first);
            }
            for (int i = 0; i < anywhere.size(); i++) {
                comparison.accept(anywhere.get(i));
            }
            if (runs != null) {
                runs.visit(comparison.text, comparison);
            }
        }
    }

    /**
     * A pattern whose start and end were found in the text. With one star, it only remains to check that they do not overlap.
     */
    private record Filing(Glob glob, int value, boolean oneStar, int shortest) {

        boolean matches(String text) {
            return oneStar ? text.length() >= shortest : glob.matches(text);
        }
    }

    private static final class Comparison implements Consumer<Filing> {
        private final String text;
        private final HitListener found;
        private int count;

        Comparison(String text, HitListener found) {
            this.text = text;
            this.found = found;
        }

        @Override
        public void accept(Filing filing) {
            count++;
            if (filing.matches(text)) {
                found.found(filing.value());
            }
        }
    }
}
