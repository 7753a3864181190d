package io.sluice.center.decisions;

import io.sluice.center.access.Access;
import io.sluice.center.http.CurrentAccess;
import io.sluice.center.refusal.RefusedException;
import io.sluice.runtime.data.DecisionEntry.Outcome;
import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The endpoint {@code GET /api/decisions}. */
@RestController
public final class DecisionRoutes {

    private static final int MOST_IN_LIST = 500;
    private static final int LONGEST_VALUE = 1_000;

    private final Decisions decisions;

    DecisionRoutes(Decisions decisions) {
        this.decisions = decisions;
    }

    @GetMapping(path = "/api/decisions", produces = MediaType.APPLICATION_JSON_VALUE)
    String search(
            @RequestAttribute(CurrentAccess.ACCESS) Access access,
            @RequestParam(name = "rule", defaultValue = "") String rule,
            @RequestParam(name = "limit_id", defaultValue = "") String limitId,
            @RequestParam(name = "caller", defaultValue = "") String caller,
            @RequestParam(name = "node", defaultValue = "") String node,
            @RequestParam(name = "outcome", defaultValue = "") String outcome,
            @RequestParam(name = "request_id", defaultValue = "") String requestId,
            @RequestParam(name = "trace_id", defaultValue = "") String traceId,
            @RequestParam(name = "resource", defaultValue = "") String resource,
            @RequestParam(name = "from", defaultValue = "") String from,
            @RequestParam(name = "to", defaultValue = "") String until,
            @RequestParam(name = "limit", defaultValue = "50") int limit,
            @RequestParam(name = "before", defaultValue = "") String before) {
        Map<Term, String> terms = new EnumMap<>(Term.class);
        put(terms, Term.RULE, "rule", rule);
        put(terms, Term.LIMIT, "limit_id", limitId);
        put(terms, Term.CALLER, "caller", caller);
        put(terms, Term.NODE, "node", node);
        put(terms, Term.OUTCOME, "outcome", outcome);
        put(terms, Term.REQUEST, "request_id", requestId);
        put(terms, Term.TRACE, "trace_id", traceId);
        put(terms, Term.RESOURCE, "resource", resource);
        requireOutcome(outcome);
        return decisions.search(
                access,
                terms,
                millis("from", from, 0),
                millis("to", until, Long.MAX_VALUE),
                before.isEmpty() ? Optional.empty() : Optional.of(DecisionKey.parse(before)),
                Math.max(1, Math.min(limit, MOST_IN_LIST)));
    }

    private static void put(Map<Term, String> terms, Term term, String name, String value) {
        if (value.length() > LONGEST_VALUE) {
            throw RefusedException.invalid(
                    name + ": " + value.length() + " characters (expected: at most " + LONGEST_VALUE + ")");
        }
        if (!value.isEmpty()) {
            terms.put(term, value);
        }
    }

    private static void requireOutcome(String outcome) {
        if (!outcome.isEmpty()) {
            try {
                Outcome unused = Outcome.of(outcome);
            } catch (IllegalArgumentException e) {
                throw RefusedException.invalid("outcome: unknown (expected: allowed, rejected, denied or exempt)");
            }
        }
    }

    private static long millis(String name, String text, long otherwise) {
        if (text.isEmpty()) {
            return otherwise;
        }
        try {
            return OffsetDateTime.parse(text).toInstant().toEpochMilli();
        } catch (DateTimeException | ArithmeticException e) {
            throw RefusedException.invalid(
                    name + ": not a time with its zone (expected: such as 2027-01-01T00:00:00Z)");
        }
    }
}
