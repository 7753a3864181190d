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
 * The conditions of a search for decisions.
 *
 * @param terms the values that fields must have
 * @param from the time of the oldest decision, in milliseconds since 1970
 * @param until the time after the newest decision
 * @param before a decision that all found decisions must be older than
 * @param most the maximum number of decisions
 * @param seen the only rules whose decisions may be returned; empty for all rules
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

    /** Returns the same query for decisions since a time. */
    DecisionQuery since(long millis) {
        return new DecisionQuery(terms, millis, until, before, most, seen, withoutRule);
    }

    /** Returns the time after the newest decision. Positions start with 1, so no decision has position 0. */
    long end() {
        return before.map(key -> Math.min(until, key.position() == 0 ? key.atMillis() : key.atMillis() + 1))
                .orElse(until);
    }

    /** Returns sets of hashes. A segment that contains no hash of one of the sets has no matching decision. */
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

    /** Returns a fast check: a decision that it refuses cannot match. The text of a decision contains each value as JSON. */
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

    /** Returns whether a decision matches the query. An unreadable decision does not match. */
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
