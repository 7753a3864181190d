package io.sluice.center.decisions;

import io.sluice.center.access.Access;
import io.sluice.center.access.Right;
import io.sluice.center.reach.Visibility;
import io.sluice.center.refusal.RefusedException;
import io.sluice.rules.json.JsonLine;
import io.sluice.rules.model.Rule;
import io.sluice.rules.snapshot.RuleSet;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Answers questions about decisions, limited to the rules that the caller may read. Thread-safe. */
public final class Decisions {

    /** The maximum number of concurrent searches. Further searches wait. */
    private static final int SEARCHES = 4;

    private static final long LONGEST_WAIT_SECONDS = 10;

    private final DecisionRing ring;
    private final Supplier<List<RuleSet>> rules;
    private final Semaphore searches = new Semaphore(SEARCHES);

    /**
     * Creates the search over a ring.
     *
     * @param rules returns the rules in force and the rules on trial
     */
    public Decisions(DecisionRing ring, Supplier<List<RuleSet>> rules) {
        this.ring = ring;
        this.rules = rules;
    }

    /** Searches decisions and returns the answer as JSON. */
    String search(
            Access access, Map<Term, String> terms, long from, long until, Optional<DecisionKey> before, int most) {
        boolean isFleetSeen = access.mayEverywhere(Right.SEE_FLEET);
        if (terms.containsKey(Term.NODE) && !isFleetSeen) {
            throw RefusedException.forbidden("node: not yours to see (expected: the right to see the fleet)");
        }
        DecisionQuery query = new DecisionQuery(terms, from, until, before, most, seen(access), isFleetSeen);
        boolean isFree = false;
        try {
            isFree = searches.tryAcquire(LONGEST_WAIT_SECONDS, TimeUnit.SECONDS);
            if (!isFree) {
                throw RefusedException.conflict("too many searches at once (expected: try again in some seconds)");
            }
            return json(ring.search(query), isFleetSeen);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw RefusedException.conflict("the center stops");
        } finally {
            if (isFree) {
                searches.release();
            }
        }
    }

    /** Returns the rules that the caller may read; empty if the caller may read all rules, including removed ones. */
    private Optional<Set<String>> seen(Access access) {
        if (access.seesAll()) {
            return Optional.empty();
        }
        List<RuleSet> sets = rules.get();
        Visibility visibility = new Visibility(access);
        return Optional.of(sets.stream()
                .flatMap(set -> set.rules().stream())
                .map(Rule::id)
                .filter(id -> visibility.sees(id, sets))
                .collect(Collectors.toSet()));
    }

    private static String json(DecisionPage page, boolean isFleetSeen) {
        String entries = page.entries().stream()
                .map(each -> isFleetSeen ? withNode(each) : each.text())
                .collect(Collectors.joining(",", "[", "]"));
        String rest = new JsonLine()
                .begin()
                .field("next", page.next().map(DecisionKey::text).orElse(null))
                .field(
                        "searched_until",
                        Instant.ofEpochMilli(page.searchedUntil()).toString())
                // The traffic of others is not shown to callers who may read only some rules.
                .field("dropped", isFleetSeen ? (Object) page.dropped() : null)
                .end()
                .toString();
        return "{\"entries\":" + entries + "," + rest.substring(1);
    }

    private static String withNode(StoredDecision decision) {
        String text = decision.text();
        return text.substring(0, text.length() - 1) + ",\"node\":" + JsonLine.of(decision.node()) + "}";
    }
}
