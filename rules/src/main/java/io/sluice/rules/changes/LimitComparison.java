package io.sluice.rules.changes;

import io.sluice.rules.cost.Cost;
import io.sluice.rules.cost.CostText;
import io.sluice.rules.model.LimitName;
import io.sluice.rules.model.Rule;
import io.sluice.rules.model.RuleLimit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Compares the limits, or the candidates, of two rules with the same id.
 *
 * <p>First, limits that share their counts are paired. The rest are paired by id, then by the attributes they count by, then by
 * shape; such a pair is the same limit with counts that start fresh. A limit without a partner was added or removed.
 */
final class LimitComparison {

    private final String rule;
    private final boolean candidate;
    private final boolean refused;
    private final boolean refuses;
    private final List<RuleLimit> before;
    private final List<RuleLimit> after;
    private final List<RuleChange> changes;

    /** Maps positions in the new rule to positions in the old rule. */
    private final Map<Integer, Integer> pairs = new TreeMap<>();

    LimitComparison(Rule before, Rule after, boolean candidate, List<RuleChange> changes) {
        this.rule = after.id();
        this.candidate = candidate;
        this.refused = !before.shadow();
        this.refuses = !candidate && !after.shadow();
        this.before = candidate ? before.candidate() : before.limits();
        this.after = candidate ? after.candidate() : after.limits();
        this.changes = changes;
        pair(limit -> LimitWords.identity(rule, limit));
        pair(limit -> LimitName.ownId(rule, limit).orElse(null));
        pair(limit -> LimitWords.by(limit.by()));
        pair(limit -> limit.limit().shape());
    }

    Map<Integer, Integer> pairs() {
        return pairs;
    }

    void compare() {
        Order order = new Order();
        for (int i = 0; i < after.size(); i++) {
            RuleLimit now = after.get(i);
            Integer old = pairs.get(i);
            if (old == null) {
                say(named(now) + " added (" + LimitWords.described(now) + ")");
            } else {
                order.next(old);
                compare(before.get(old), now);
            }
        }
        for (int i = 0; i < before.size(); i++) {
            if (!pairs.containsValue(i)) {
                say(named(before.get(i)) + " removed (" + LimitWords.described(before.get(i)) + ")");
            }
        }
        if (order.isBroken()) {
            say("the order of " + (candidate ? "candidates" : "limits") + " changed");
        }
    }

    private void compare(RuleLimit old, RuleLimit now) {
        Map<String, String> numbers = LimitWords.numbers(old.limit());
        Map<String, String> newNumbers = LimitWords.numbers(now.limit());
        if (!LimitWords.identity(rule, old).equals(LimitWords.identity(rule, now))) {
            changes.add(new RuleChange.StartsFresh(
                    rule, counted(old), String.join(", ", whyFresh(old, now)), means(old, now)));
        } else if (!numbers.equals(newNumbers)) {
            say(named(now) + " " + amounts(old, now, numbers, newNumbers));
        }
        if (old.absent() != now.absent()) {
            say(named(now) + " absent "
                    + Phrases.fromTo(old.absent().word(), now.absent().word()));
        }
        if (old.unread() != now.unread()) {
            say(named(now) + " unread "
                    + Phrases.fromTo(old.unread().word(), now.unread().word()));
        }
        cost(old, now);
        if (old.durable() != now.durable()) {
            say(named(now) + (now.durable() ? " now durable" : " no longer durable"));
        }
        String otherwise = LimitWords.otherwise(old.by());
        String newOtherwise = LimitWords.otherwise(now.by());
        if (!otherwise.equals(newOtherwise) && old.by().size() == now.by().size()) {
            say(named(now) + " otherwise by " + Phrases.fromTo(otherwise, newOtherwise));
        }
    }

    private void cost(RuleLimit old, RuleLimit now) {
        Map<String, String> was = LimitWords.cost(old.cost());
        Map<String, String> is = LimitWords.cost(now.cost());
        if (was.equals(is)) {
            return;
        }
        if (was.isEmpty() || is.isEmpty()) {
            Cost cost = now.cost().or(old::cost).orElseThrow();
            say(named(now) + " cost " + (was.isEmpty() ? "added" : "removed") + " (" + CostText.line(cost) + ")");
        } else {
            say(named(now) + " cost " + String.join(", ", different(was, is)));
        }
    }

    private String means(RuleLimit old, RuleLimit now) {
        if (!refuses) {
            return FreshCount.IN_SHADOW;
        }
        return refused ? FreshCount.means(old.limit(), now.limit()) : FreshCount.OUT_OF_SHADOW;
    }

    /** Lists the reasons. Parameters of two different algorithms are not compared one by one. */
    private List<String> whyFresh(RuleLimit old, RuleLimit now) {
        Map<String, String> was = LimitWords.identity(rule, old);
        Map<String, String> is = LimitWords.identity(rule, now);
        List<String> why = new ArrayList<>();
        if (old.limit().algorithm().equals(now.limit().algorithm())) {
            why.addAll(different(was, is));
            why.addAll(different(LimitWords.numbers(old.limit()), LimitWords.numbers(now.limit())));
        } else {
            why.add(LimitWords.whole(old.limit()) + " → " + LimitWords.whole(now.limit()));
            was.keySet().removeAll(LimitWords.shape(old.limit()).keySet());
            is.keySet().removeAll(LimitWords.shape(now.limit()).keySet());
            was.remove("algorithm");
            is.remove("algorithm");
            why.addAll(different(was, is));
        }
        return why;
    }

    /** Describes the old and new amounts as a whole, or number by number if the whole does not show the difference. */
    private static String amounts(
            RuleLimit old, RuleLimit now, Map<String, String> numbers, Map<String, String> newNumbers) {
        String amount = LimitWords.amount(old.limit());
        String newAmount = LimitWords.amount(now.limit());
        return amount.equals(newAmount)
                ? String.join(", ", different(numbers, newNumbers))
                : amount + " → " + newAmount;
    }

    private static List<String> different(Map<String, String> old, Map<String, String> now) {
        Map<String, String> all = new LinkedHashMap<>(old);
        now.forEach(all::putIfAbsent);
        List<String> different = new ArrayList<>();
        for (String key : all.keySet()) {
            if (!Objects.equals(old.get(key), now.get(key))) {
                different.add(key + " " + Phrases.fromTo(old.getOrDefault(key, "none"), now.getOrDefault(key, "none")));
            }
        }
        return different;
    }

    /**
     * Pairs the limits without a partner for which the function returns the same value, in their order. Limits with the value
     * null are not paired.
     */
    private void pair(Function<RuleLimit, @Nullable Object> same) {
        Map<Object, List<Integer>> free = new LinkedHashMap<>();
        for (int i = 0; i < before.size(); i++) {
            Object key = same.apply(before.get(i));
            if (key != null && !pairs.containsValue(i)) {
                free.computeIfAbsent(key, none -> new ArrayList<>()).add(i);
            }
        }
        for (int i = 0; i < after.size(); i++) {
            Object key = same.apply(after.get(i));
            List<Integer> found = key == null || pairs.containsKey(i) ? List.of() : free.getOrDefault(key, List.of());
            if (!found.isEmpty()) {
                pairs.put(i, found.remove(0));
            }
        }
    }

    private String counted(RuleLimit limit) {
        String kind = candidate ? "candidate " : "";
        return LimitName.ownId(rule, limit).map(id -> kind + id).orElse("the " + named(limit));
    }

    private String named(RuleLimit limit) {
        return LimitWords.named(rule, limit, candidate);
    }

    private void say(String what) {
        changes.add(new RuleChange.Altered(rule, what));
    }
}
