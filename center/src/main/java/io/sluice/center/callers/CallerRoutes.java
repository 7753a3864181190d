package io.sluice.center.callers;

import io.sluice.center.access.Access;
import io.sluice.center.access.Right;
import io.sluice.center.callers.TopReply.TopEntry;
import io.sluice.center.data.RefusedCaller;
import io.sluice.center.data.TopQuery;
import io.sluice.center.http.CurrentAccess;
import io.sluice.center.http.RequestBody;
import io.sluice.center.reach.Visibility;
import io.sluice.center.refusal.RefusedException;
import io.sluice.rules.caller.CallerMark;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.yaml.PrintableText;
import io.sluice.rules.yaml.Spans;
import io.sluice.runtime.caller.CallerQuestion;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import tools.jackson.databind.JsonNode;

/** The API of refused callers. Only {@link #reveal} returns the identity of a caller. */
@RestController
public final class CallerRoutes {

    private static final int MOST_IN_LIST = 1_000;
    private static final int MOST_OVERRIDES = 200;
    private static final int LONGEST_REASON = 10_000;
    private static final Duration RECENT = Duration.ofHours(1);
    private static final Duration LONGEST = Duration.ofDays(RefusedCallers.DAYS);
    private static final Set<String> ATTRIBUTES = Set.of("ip", "user", "tenant");

    /** A bound in case the center itself stalls. Questions end earlier. */
    private static final long LONGEST_WAIT_SECONDS = 20;

    private final CallersParts center;
    private final Reveals reveals;

    CallerRoutes(CallersParts center) {
        this.center = center;
        this.reveals = new Reveals(center);
    }

    /** The requested minutes. */
    private record Minutes(long from, long until) {}

    @GetMapping("/api/top")
    TopReply top(
            @RequestAttribute(CurrentAccess.ACCESS) Access access,
            @RequestParam(name = "by", defaultValue = "caller") String by,
            @RequestParam(name = "rule", defaultValue = "") String rule,
            @RequestParam(name = "last", defaultValue = "") String last,
            @RequestParam(name = "from", defaultValue = "") String from,
            @RequestParam(name = "to", defaultValue = "") String to,
            @RequestParam(name = "limit", defaultValue = "10") int limit) {
        boolean isRule = by.equals("rule");
        if (!isRule && !by.equals("caller") && !ATTRIBUTES.contains(by)) {
            throw RefusedException.invalid(
                    "by: " + PrintableText.text(by) + " (expected: caller, ip, user, tenant or rule)");
        }
        Predicate<String> sees = sees(access);
        Optional<String> only = Optional.of(rule).filter(text -> !text.isEmpty());
        if (only.isPresent() && !sees.test(only.get())) {
            throw RefusedException.missing("rule " + PrintableText.text(rule) + ": unknown");
        }
        Minutes minutes = minutes(last, from, to);
        TopQuery query = new TopQuery(
                only,
                Optional.of(by).filter(ATTRIBUTES::contains),
                minutes.from,
                minutes.until,
                Math.max(1, Math.min(limit, MOST_IN_LIST)),
                sees);
        if (isRule) {
            RefusedRules found = center.callers().rules(query);
            return reply(
                    sees,
                    by,
                    found.rules().stream().map(TopEntry::of).toList(),
                    new TopCallers(
                            List.of(),
                            found.refused(),
                            found.distinct(),
                            found.dropped(),
                            found.from(),
                            found.until()));
        }
        TopCallers found = center.callers().find(query);
        return reply(sees, by, found.callers().stream().map(TopEntry::of).toList(), found);
    }

    private TopReply reply(Predicate<String> sees, String by, List<TopEntry> entries, TopCallers found) {
        return new TopReply(
                instant(found.from()),
                instant(found.until()),
                by,
                entries,
                found.refused(),
                found.distinct(),
                sees.test("") ? found.dropped() + center.dropped().getAsLong() : null);
    }

    @GetMapping("/api/callers/{hash}")
    CallerReply find(@RequestAttribute(CurrentAccess.ACCESS) Access access, @PathVariable("hash") String hash) {
        requireHash(hash);
        Predicate<String> sees = sees(access);
        List<RefusedCaller> refusals = refusals(hash, sees);
        List<CallerReply.HashOverride> overrides = overrides(access, hash, sees);
        Optional<String> answer = ask(hash, CallerQuestion.Kind.EXPLAIN);
        List<Map<String, Object>> limits =
                answer.map(json -> read(() -> NodeAnswer.limits(json, sees))).orElse(List.of());
        // A reader who sees none of its limits must not learn that the caller exists.
        boolean isKnown = answer.isPresent() && (!limits.isEmpty() || sees.test(""));
        if (!isKnown && refusals.isEmpty() && overrides.isEmpty()) {
            throw unknown(hash);
        }
        return new CallerReply(
                shown(hash, refusals),
                hash,
                isKnown,
                limits,
                refusals.stream().map(TopEntry::of).toList(),
                overrides);
    }

    @PostMapping("/api/callers/{hash}/reveal")
    RevealReply reveal(
            @RequestAttribute(CurrentAccess.ACCESS) Access access,
            @PathVariable("hash") String hash,
            HttpServletRequest request,
            HttpServletResponse response) {
        requireHash(hash);
        JsonNode body = RequestBody.object(request, Set.of("reason"));
        String reason = RequestBody.string(body, "reason", "").strip();
        if (reason.isEmpty() || reason.length() > LONGEST_REASON) {
            throw RefusedException.invalid(
                    "reason: empty or too long (expected: a few words, such as the number of a case)");
        }
        if (!reveals.admits(access.actor())) {
            throw tooMany(
                    "reveals: more than " + Reveals.MOST_A_MINUTE + " in a minute (expected: fewer; wait a minute)");
        }
        String answer = ask(hash, CallerQuestion.Kind.REVEAL).orElseThrow(() -> unknown(hash));
        RevealReply reply = read(() -> NodeAnswer.reveal(hash, answer));
        reveals.log(access.actor(), reason, shown(hash, refusals(hash, rule -> true)), reply);
        response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
        return reply;
    }

    private static <T> T read(Supplier<T> answer) {
        try {
            return answer.get();
        } catch (IllegalArgumentException e) {
            throw RefusedException.conflict(String.valueOf(e.getMessage()));
        }
    }

    private Optional<String> ask(String hash, CallerQuestion.Kind kind) {
        CompletableFuture<Optional<String>> asked = center.questions()
                .ask(hash, kind)
                .orElseThrow(() -> tooMany("callers: " + Questions.MOST
                        + " questions wait for nodes (expected: fewer; try again in a few seconds)"));
        try {
            return asked.get(LONGEST_WAIT_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        } catch (ExecutionException | TimeoutException e) {
            return Optional.empty();
        }
    }

    private List<RefusedCaller> refusals(String hash, Predicate<String> sees) {
        long now = nowMinute() + 1;
        return center.callers().find(hash, now - RECENT.toMinutes(), now).stream()
                .filter(each -> sees.test(each.rule()))
                .toList();
    }

    private List<CallerReply.HashOverride> overrides(Access access, String hash, Predicate<String> sees) {
        // A reader who does not see all rules does not see the override of a rule that belonged to another tenant.
        List<RuleSet> sets = access.seesAll() ? List.of() : center.rules().get();
        return center.adjustments().ofHash(hash).stream()
                .filter(each -> sees.test(each.rule()) && (access.seesAll() || each.isFor(sets)))
                .limit(MOST_OVERRIDES)
                .map(CallerReply.HashOverride::of)
                .toList();
    }

    /** Returns the text for a caller. If one limit hides the value, the text contains only the hash. */
    private static String shown(String hash, List<RefusedCaller> refusals) {
        boolean isHidden =
                refusals.stream().anyMatch(each -> each.caller().masked().isEmpty());
        return refusals.isEmpty() || isHidden
                ? new CallerMark("", hash).shown()
                : refusals.get(0).caller().shown();
    }

    /** Returns whether a reader may see a rule; the empty name stands for the whole fleet. */
    private Predicate<String> sees(Access access) {
        boolean isFleet = access.mayEverywhere(Right.SEE_FLEET);
        if (access.seesAll()) {
            return rule -> !rule.isEmpty() || isFleet;
        }
        List<RuleSet> sets = center.rules().get();
        Visibility visibility = new Visibility(access);
        return rule -> rule.isEmpty() ? isFleet : visibility.sees(rule, sets);
    }

    private Minutes minutes(String last, String from, String to) {
        long now = nowMinute() + 1;
        if (!last.isEmpty() && !(from.isEmpty() && to.isEmpty())) {
            throw RefusedException.invalid("last: together with from or to (expected: either last, or from and to)");
        }
        if (from.isEmpty() && to.isEmpty()) {
            try {
                Duration span = last.isEmpty() ? RECENT : Spans.of("last", last, Duration.ofMinutes(1), LONGEST);
                return new Minutes(now - Math.max(1, span.plusSeconds(59).toMinutes()), now);
            } catch (IllegalArgumentException e) {
                throw RefusedException.invalid(String.valueOf(e.getMessage()));
            }
        }
        long until = to.isEmpty() ? now : minute(to, "to", true);
        long begin = from.isEmpty() ? until - RECENT.toMinutes() : minute(from, "from", false);
        if (begin >= until) {
            throw RefusedException.invalid("from: not before to (expected: an earlier time)");
        }
        return new Minutes(begin, until);
    }

    private static long minute(String text, String name, boolean isEnd) {
        try {
            long seconds = OffsetDateTime.parse(text).toEpochSecond();
            return Math.floorDiv(isEnd ? seconds + 59 : seconds, 60L);
        } catch (DateTimeException e) {
            throw RefusedException.invalid(
                    name + ": not a time with its zone (expected: such as 2027-01-01T00:00:00Z)");
        }
    }

    private static void requireHash(String hash) {
        if (!CallerGroup.isHash(hash)) {
            throw RefusedException.missing(
                    "caller: unknown (expected: the hash of a caller, 43 characters, as /api/top" + " tells it)");
        }
    }

    private static RefusedException unknown(String hash) {
        return RefusedException.missing("caller " + hash
                + ": unknown (expected: a caller that was refused lately; the nodes that know it may have restarted)");
    }

    private static ResponseStatusException tooMany(String message) {
        return new ResponseStatusException(HttpStatus.TOO_MANY_REQUESTS, message);
    }

    private long nowMinute() {
        return Math.floorDiv(center.clock().epochMicros(), TimeUnit.MINUTES.toMicros(1));
    }

    private static Instant instant(long minute) {
        return Instant.ofEpochSecond(TimeUnit.MINUTES.toSeconds(minute));
    }
}
