package io.sluice.runtime;

import io.sluice.rules.model.Rule;
import io.sluice.rules.snapshot.CallerTrial;
import io.sluice.rules.snapshot.RuleSet;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.BiPredicate;

/**
 * Decides which names of rules and limits may be metric labels: the names in the rule set in force and, if code has rules of its
 * own, every name that does not belong to an earlier set. Thread-safe.
 */
final class KnownNames {

    /** Decisions in progress may still use an earlier set. None takes longer than this many changes. */
    private static final int MOST_REMEMBERED = 8;

    private final BiConsumer<RuleSet, Names> more;
    private final boolean code;
    private final Deque<Names> gone = new ArrayDeque<>();
    private volatile Names now = new Names(RuleSet.none());

    /**
     * Creates the filter.
     *
     * @param more adds names that a set uses beyond those of its rules
     * @param code whether code has rules that are in no set
     */
    KnownNames(BiConsumer<RuleSet, Names> more, boolean code) {
        this.more = more;
        this.code = code;
    }

    /** Returns whether to keep a series with these names while this set is in force. An empty name is always known. */
    synchronized BiPredicate<String, String> in(RuleSet set) {
        if (now.set != set) {
            Names next = new Names(set);
            add(set, next);
            CallerTrial trial = set.trial();
            if (trial != null) {
                add(trial.rules(), next);
            }
            Names left = now.without(next);
            if (code && !left.isEmpty()) {
                gone.addLast(left);
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

    private void add(RuleSet set, Names names) {
        set.rules().forEach(names::add);
        more.accept(set, names);
    }

    /** The names of one set, and of the set that callers try beside it. */
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

        private boolean isEmpty() {
            return rules.isEmpty() && limits.isEmpty();
        }

        private boolean has(String rule, String limit) {
            return (rule.isEmpty() || rules.contains(rule)) && (limit.isEmpty() || limits.contains(limit));
        }

        private boolean hasOne(String rule, String limit) {
            return rules.contains(rule) || limits.contains(limit);
        }
    }
}
