package io.sluice.runtime;

import io.sluice.rules.model.Rule;
import io.sluice.rules.snapshot.RuleSet;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.BiPredicate;

/**
 * Which names of rules and limits may be labels: those of the set in force and, where code has rules of its own, any that is not of a
 * set that is gone. Safe for use by many threads.
 */
final class KnownNames {

    /** Decisions under way know a set that is gone; none is under way for so many changes. */
    private static final int MOST_REMEMBERED = 8;

    private final BiConsumer<RuleSet, Names> more;
    private final boolean code;
    private final Deque<Names> gone = new ArrayDeque<>();
    private volatile Names now = new Names(RuleSet.none());

    /**
     * Names.
     *
     * @param more adds what a set names beyond its rules
     * @param code whether there are rules that no set has
     */
    KnownNames(BiConsumer<RuleSet, Names> more, boolean code) {
        this.more = more;
        this.code = code;
    }

    /** Whether a series with these names is to be kept while this set is in force; an empty name is always known. */
    synchronized BiPredicate<String, String> in(RuleSet set) {
        if (now.set != set) {
            Names next = new Names(set);
            set.rules().forEach(next::add);
            more.accept(set, next);
            if (code) {
                gone.addLast(now.without(next));
                if (gone.size() > MOST_REMEMBERED) {
                    gone.removeFirst();
                }
            }
            now = next;
        }
        Names known = now;
        Set<Names> former = code ? Set.copyOf(gone) : Set.of();
        return (rule, limit) -> {
            boolean ofSet = known.has(rule, limit);
            return ofSet || (code && former.stream().noneMatch(names -> names.hasOne(rule, limit)));
        };
    }

    /** Those of one set. */
    static final class Names {
        private final RuleSet set;
        private final Set<String> rules = new HashSet<>();
        private final Set<String> limits = new HashSet<>();

        private Names(RuleSet set) {
            this.set = set;
        }

        void add(Rule rule) {
            rules.add(rule.id());
            rule.limits().forEach(limit -> limits.add(limit.id()));
            rule.candidate().forEach(limit -> limits.add(limit.id()));
        }

        void add(Set<String> moreRules, Set<String> moreLimits) {
            rules.addAll(moreRules);
            limits.addAll(moreLimits);
        }

        private Names without(Names others) {
            Names rest = new Names(RuleSet.none());
            rules.stream().filter(rule -> !others.rules.contains(rule)).forEach(rest.rules::add);
            limits.stream().filter(limit -> !others.limits.contains(limit)).forEach(rest.limits::add);
            return rest;
        }

        private boolean has(String rule, String limit) {
            return (rule.isEmpty() || rules.contains(rule)) && (limit.isEmpty() || limits.contains(limit));
        }

        private boolean hasOne(String rule, String limit) {
            return rules.contains(rule) || limits.contains(limit);
        }
    }
}
