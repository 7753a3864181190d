package io.sluice.center.decisions;

import io.sluice.rules.json.JsonLine;
import io.sluice.runtime.data.DecisionEntry;
import java.time.DateTimeException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Which decisions to return.
 *
 * @param terms the values that fields must have
 * @param from the time of the oldest one, in milliseconds since 1970
 * @param until the time after the newest one
 * @param before only older ones than this
 * @param most the maximum number of decisions
 * @param seen the only rules whose decisions may be returned; empty for those of all rules
 * @param withoutRule whether decisions without a rule may be returned
 */
record DecisionQuery(
        Map<Term, String> terms,
        long from,
        long until,
        Optional<DecisionKey> before,
        int most,
        Optional<Set<String>> seen,
        boolean withoutRule) {

    DecisionQuery {
        terms = Map.copyOf(terms);
        seen = seen.map(Set::copyOf);
    }

    /** Returns the same for decisions since a time. */
    DecisionQuery since(long millis) {
        return new DecisionQuery(terms, millis, until, before, most, seen, withoutRule);
    }

    /** Returns the time after the newest decision. Positions begin with 1, so nothing comes before position 0. */
    long end() {
        return before.map(key -> Math.min(until, key.position() == 0 ? key.atMillis() : key.atMillis() + 1))
                .orElse(until);
    }

    /** Returns sets of hashes. A segment without any hash of one of the sets has nothing to return. */
    List<List<Long>> needles() {
        List<List<Long>> needles = new ArrayList<>();
        terms.forEach((term, value) -> needles.add(List.of(term.hash(value))));
        seen.filter(rules -> !withoutRule && !terms.containsKey(Term.RULE))
                .ifPresent(
                        rules -> needles.add(rules.stream().map(Term.RULE::hash).toList()));
        return needles;
    }

    boolean isWithin(DecisionKey key) {
        return key.atMillis() >= from
                && key.atMillis() < until
                && (before.isEmpty() || key.compareTo(before.get()) < 0);
    }

    /** Returns a check that is fast: whatever it refuses cannot match. The text of a decision has each value as JSON. */
    Predicate<StoredDecision> quickly() {
        List<String> parts = new ArrayList<>();
        terms.forEach((term, value) -> {
            if (term != Term.NODE) {
                parts.add(JsonLine.of(value));
            }
        });
        String node = terms.get(Term.NODE);
        return decision -> {
            if (node != null && !node.equals(decision.node())) {
                return false;
            }
            String text = parts.isEmpty() ? "" : decision.text();
            return parts.stream().allMatch(text::contains);
        };
    }

    /** Returns whether a decision is wanted. One that cannot be read is not. */
    boolean matches(StoredDecision decision) {
        try {
            return matches(decision.entry(), decision.node());
        } catch (IllegalArgumentException | DateTimeException e) {
            return false;
        }
    }

    private boolean matches(DecisionEntry entry, String node) {
        boolean isSeen = entry.rule().isEmpty()
                ? withoutRule
                : seen.map(rules -> rules.contains(entry.rule())).orElse(true);
        return isSeen
                && terms.entrySet().stream()
                        .allMatch(each -> each.getKey().values(entry, node).contains(each.getValue()));
    }
}
