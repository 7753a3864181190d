package io.sluice.rules.internal.index;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How well each constraint would tell the scopes of a node apart. */
final class Survey {

    private final Map<String, Column> columns = new HashMap<>();

    Survey(List<Filed> all) {
        if (all.stream().noneMatch(filed -> filed.choices().size() > 1)) {
            return;
        }
        for (Filed filed : all) {
            for (Constraint constraint : filed.choices()) {
                column(constraint).add(constraint);
            }
        }
        columns.values().forEach(Column::sample);
    }

    /**
     * The constraint under which a scope burdens requests the least; null if there is none that it may be filed under.
     *
     * @param enough differences below this do not matter
     */
    @Nullable
    Constraint best(Filed filed, int enough) {
        List<Constraint> choices = filed.choices();
        if (choices.size() < 2) {
            return choices.isEmpty() ? null : choices.get(0);
        }
        Constraint best = null;
        Rank bestRank = null;
        for (Constraint constraint : choices) {
            Rank rank = rank(constraint, enough);
            if (bestRank == null || Rank.ORDER.compare(rank, bestRank) < 0) {
                best = constraint;
                bestRank = rank;
            }
        }
        return best;
    }

    private Rank rank(Constraint constraint, int enough) {
        Column column = column(constraint);
        long load = Math.max(enough, column.detours);
        for (Key key : constraint.keys()) {
            load = Math.max(load, column.load(key));
        }
        return new Rank(load, constraint.keys().size(), column.scopes, constraint.attribute());
    }

    private Column column(Constraint constraint) {
        return columns.computeIfAbsent(constraint.column(), absent -> new Column(constraint.attribute()));
    }

    /**
     * @param load how many scopes a request would find with this one, in the worst case that was seen
     * @param copies how often it would be filed
     * @param scopes how many could be filed in the same table: the fewer tables, the fewer look-ups
     */
    private record Rank(long load, int copies, int scopes, String attribute) {
        static final Comparator<Rank> ORDER = Comparator.comparingLong(Rank::load)
                .thenComparingInt(Rank::copies)
                .thenComparing(Comparator.comparingInt(Rank::scopes).reversed())
                .thenComparing(Rank::attribute);
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
