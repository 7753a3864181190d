package io.sluice.rules.internal.index;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How well each constraint would tell the scopes of a node apart. That a single segment of the path be right is considered only
 * for scopes that nothing else tells apart well: most need it not, and it is most of what there is to consider.
 */
final class Survey {

    private final Map<String, Column> columns = new HashMap<>();
    private final int enough;

    /** @param enough differences below this do not matter */
    Survey(List<Filed> all, int enough) {
        this.enough = enough;
        if (!isChoice(all)) {
            return;
        }
        all.forEach(filed -> add(filed.choices()));
        columns.values().forEach(Column::sample);
        for (Filed filed : all) {
            if (!isGood(best(filed.choices()))) {
                add(filed.parts());
            }
        }
    }

    private static boolean isChoice(List<Filed> all) {
        for (Filed filed : all) {
            if (filed.choices().size() > 1 || !filed.parts().isEmpty()) {
                return true;
            }
        }
        return false;
    }

    private void add(List<Constraint> choices) {
        for (Constraint constraint : choices) {
            column(constraint).add(constraint);
        }
    }

    /** The constraint under which a scope burdens requests the least; null if there is none that it may be filed under. */
    @Nullable
    Constraint best(Filed filed) {
        List<Constraint> choices = filed.choices();
        if (columns.isEmpty()) {
            return choices.isEmpty() ? null : choices.get(0);
        }
        Rank best = best(choices);
        if (!isGood(best)) {
            Rank other = best(filed.parts());
            if (best == null || (other != null && other.isBetterThan(best))) {
                best = other;
            }
        }
        return best == null ? null : best.constraint;
    }

    private boolean isGood(@Nullable Rank rank) {
        return rank != null && rank.load <= enough;
    }

    private @Nullable Rank best(List<Constraint> choices) {
        Rank best = null;
        for (Constraint constraint : choices) {
            Rank rank = rank(constraint);
            best = best == null || rank.isBetterThan(best) ? rank : best;
        }
        return best;
    }

    private Rank rank(Constraint constraint) {
        Column column = column(constraint);
        long load = Math.max(enough, column.detours);
        for (Key key : constraint.keys()) {
            load = Math.max(load, column.load(key));
        }
        return new Rank(constraint, load, constraint.keys().size(), column.scopes);
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
     * @param load how many scopes a request would find with this one, in the worst case that was seen
     * @param copies how often it would be filed
     * @param scopes how many could be filed in the same table: the fewer tables, the fewer look-ups
     */
    private record Rank(Constraint constraint, long load, int copies, int scopes) {
        boolean isBetterThan(Rank other) {
            if (load != other.load) {
                return load < other.load;
            }
            if (copies != other.copies) {
                return copies < other.copies;
            }
            return scopes != other.scopes
                    ? scopes > other.scopes
                    : constraint.attribute().compareTo(other.constraint.attribute()) < 0;
        }
    }

    /** What all the scopes ask of one attribute. */
    private static final class Column {

        private static final int SAMPLES = 2_000;
        private static final int TOUCHES = 32;
        private static final int USUAL_STEPS = 64;

        private final String attribute;
        private final Map<Key, Count> counts = new LinkedHashMap<>();
        private boolean overlapping;
        private int scopes;
        private int detours;

        Column(String attribute) {
            this.attribute = attribute;
        }

        void add(Constraint constraint) {
            scopes++;
            for (Key key : constraint.keys()) {
                Count count = counts.computeIfAbsent(key, absent -> new Count());
                overlapping |= !(key instanceof Key.Text || key instanceof Key.Part);
                count.scopes++;
                count.load++;
            }
        }

        long load(Key key) {
            Count count = counts.get(key);
            return count == null ? 0 : count.load;
        }

        /**
         * Patterns are found together with others that match the same value. Which, is seen by looking up values that are like
         * the keys: not all of them and not for ever, since a pattern that is found with very many is seen with some.
         */
        void sample() {
            if (!overlapping) {
                return;
            }
            List<Key> keys = List.copyOf(counts.keySet());
            List<Count> all = List.copyOf(counts.values());
            Tables tables = Tables.empty();
            Questions questions = new Questions(tables);
            Fork fork = new Fork(attribute, tables);
            for (int i = 0; i < keys.size(); i++) {
                fork.put(keys.get(i), i);
            }
            long touches = (long) TOUCHES * keys.size();
            int stride = Math.max(1, keys.size() / SAMPLES);
            List<Count> touched = new ArrayList<>();
            for (int i = 0; i < keys.size() && touches >= 0; i += stride) {
                touched.clear();
                Subject subject = Subject.with(attribute, keys.get(i).sample());
                Found found = value -> touched.add(all.get(value));
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
