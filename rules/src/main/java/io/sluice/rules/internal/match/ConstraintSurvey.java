package io.sluice.rules.internal.match;

import io.sluice.rules.internal.table.HitListener;
import io.sluice.rules.internal.table.LookupBatch;
import io.sluice.rules.internal.table.LookupSubject;
import io.sluice.rules.internal.table.SharedTables;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Measures how well each constraint would distinguish the scopes of a node. Constraints on single path segments are considered only for
 * scopes that no other constraint distinguishes well. Most scopes do not need these constraints, which would cause most of the work.
 */
final class ConstraintSurvey {

    private final Map<String, Column> columns = new HashMap<>();
    private final Choice choice = new Choice();
    private final List<IndexedScope> all;
    private final int enough;

    /** The constraint, other than a segment, that distinguishes each scope well; null for other scopes. */
    private final @Nullable Constraint[] good;

    /**
     * Surveys these scopes.
     *
     * @param enough the difference below which constraints count as equally good
     */
    ConstraintSurvey(List<IndexedScope> all, int enough) {
        this.all = all;
        this.enough = enough;
        this.good = new Constraint[all.size()];
        if (!isChoice(all)) {
            return;
        }
        for (IndexedScope indexed : all) {
            add(indexed.choices());
        }
        columns.values().forEach(Column::sample);
        for (int i = 0; i < good.length; i++) {
            IndexedScope indexed = all.get(i);
            choice.clear();
            consider(indexed.choices());
            if (choice.isGood()) {
                good[i] = choice.best;
            } else {
                add(indexed.parts());
            }
        }
    }

    private static boolean isChoice(List<IndexedScope> all) {
        for (IndexedScope indexed : all) {
            if (indexed.choices().size() > 1 || !indexed.parts().isEmpty()) {
                return true;
            }
        }
        return false;
    }

    private void add(List<Constraint> choices) {
        for (int i = 0; i < choices.size(); i++) {
            Constraint constraint = choices.get(i);
            column(constraint).add(constraint);
        }
    }

    /** Returns the constraint under which a scope costs requests the least, or null if the scope cannot be indexed under any constraint. */
    @Nullable
    Constraint best(int index) {
        IndexedScope indexed = all.get(index);
        if (columns.isEmpty()) {
            List<Constraint> choices = indexed.choices();
            return choices.isEmpty() ? null : choices.get(0);
        }
        if (good[index] != null) {
            return good[index];
        }
        choice.clear();
        consider(indexed.choices());
        consider(indexed.parts());
        return choice.best;
    }

    private void consider(List<Constraint> choices) {
        for (int i = 0; i < choices.size(); i++) {
            Constraint constraint = choices.get(i);
            Column column = column(constraint);
            choice.offer(constraint, load(constraint, column), column.scopes);
        }
    }

    /** Returns the number of scopes that a request would find together with this scope, in the worst case that was seen. */
    private long load(Constraint constraint, Column column) {
        long load = Math.max(enough, column.detours);
        List<LookupKey> keys = constraint.keys();
        for (int i = 0; i < keys.size(); i++) {
            load = Math.max(load, column.load(keys.get(i)));
        }
        return load;
    }

    private Column column(Constraint constraint) {
        Column column = columns.get(constraint.column());
        if (column == null) {
            column = new Column(constraint.attribute());
            columns.put(constraint.column(), column);
        }
        return column;
    }

    /**
     * The best constraint offered so far. One object serves all scopes, because one object per scope would be most of the garbage of a
     * survey.
     */
    private final class Choice {

        private @Nullable Constraint best;
        private long load;
        private int scopes;

        void clear() {
            best = null;
        }

        boolean isGood() {
            return best != null && load <= enough;
        }

        /**
         * Offers a constraint.
         *
         * @param scopes the number of scopes that could be indexed in the same table; fewer tables mean fewer lookups
         */
        void offer(Constraint constraint, long load, int scopes) {
            if (best == null || isBetter(constraint, load, scopes, best)) {
                this.best = constraint;
                this.load = load;
                this.scopes = scopes;
            }
        }

        private boolean isBetter(Constraint constraint, long load, int scopes, Constraint than) {
            if (load != this.load) {
                return load < this.load;
            }
            int copies = constraint.keys().size();
            if (copies != than.keys().size()) {
                return copies < than.keys().size();
            }
            return scopes != this.scopes
                    ? scopes > this.scopes
                    : constraint.attribute().compareTo(than.attribute()) < 0;
        }
    }

    /** All constraints of the scopes on one attribute. */
    private static final class Column {

        private static final int SAMPLES = 2_000;
        private static final int TOUCHES = 32;
        private static final int USUAL_STEPS = 64;

        private final String attribute;
        private final Map<LookupKey, Count> counts = new LinkedHashMap<>();
        private boolean overlapping;
        private int scopes;
        private int detours;

        Column(String attribute) {
            this.attribute = attribute;
        }

        void add(Constraint constraint) {
            scopes++;
            List<LookupKey> keys = constraint.keys();
            for (int i = 0; i < keys.size(); i++) {
                LookupKey key = keys.get(i);
                Count count = counts.computeIfAbsent(key, absent -> new Count());
                overlapping |= !(key instanceof LookupKey.Text || key instanceof LookupKey.SegmentAt);
                count.scopes++;
                count.load++;
            }
        }

        long load(LookupKey key) {
            Count count = counts.get(key);
            return count == null ? 0 : count.load;
        }

        /**
         * Determines the patterns that match the same values and are therefore found together, by looking up sample values of the keys. It
         * samples only some keys and stops after a bounded number of steps: a pattern that is found with very many other patterns shows up
         * in a sample.
         */
        void sample() {
            if (!overlapping) {
                return;
            }
            List<LookupKey> keys = List.copyOf(counts.keySet());
            List<Count> all = List.copyOf(counts.values());
            SharedTables tables = SharedTables.forKeys(keys.size());
            LookupBatch questions = new LookupBatch(tables);
            Fork fork = new Fork(attribute, tables);
            for (int i = 0; i < keys.size(); i++) {
                fork.put(keys.get(i), i);
            }
            long touches = (long) TOUCHES * keys.size();
            int stride = Math.max(1, keys.size() / SAMPLES);
            List<Count> touched = new ArrayList<>();
            for (int i = 0; i < keys.size() && touches >= 0; i += stride) {
                touched.clear();
                LookupSubject subject =
                        LookupSubject.with(attribute, keys.get(i).sample());
                HitListener found = value -> touched.add(all.get(value));
                int steps = fork.ask(subject, questions, found) + questions.answer(0, subject, found);
                detours = Math.max(detours, steps - USUAL_STEPS);
                long load = 0;
                for (Count count : touched) {
                    load += count.scopes;
                }
                for (Count count : touched) {
                    count.load = Math.max(count.load, load);
                }
                touches -= touched.size() + steps;
            }
        }
    }

    private static final class Count {
        private int scopes;
        private long load;
    }
}
