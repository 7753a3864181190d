package io.sluice.center.govern;

import io.sluice.center.access.Access;
import io.sluice.center.access.Right;
import io.sluice.center.adjust.Adjustment;
import io.sluice.center.adjust.AdjustmentBook;
import io.sluice.center.fleet.LiveNodes;
import io.sluice.center.govern.reply.OverrideReply;
import io.sluice.center.govern.reply.SwitchReply;
import io.sluice.center.http.CurrentAccess;
import io.sluice.center.http.RequestBody;
import io.sluice.center.http.RequestTime;
import io.sluice.center.refusal.RefusedException;
import io.sluice.center.release.Reconciler;
import io.sluice.core.time.Clock;
import io.sluice.rules.adjust.Caller;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.JsonNode;

/** The API of overrides for single callers, and of the emergency switch. */
@RestController
public final class AdjustmentRoutes {

    private static final int MOST_IN_LIST = 200;
    private static final String HASH = "hash";

    private final Reconciler reconciler;
    private final LiveNodes nodes;
    private final Clock clock;
    private final AdjustmentBook book;
    private final RuleGuard guard;

    AdjustmentRoutes(AdjustmentBook adjustments, Reconciler reconciler, LiveNodes nodes, Clock clock, RuleGuard guard) {
        this.book = adjustments;
        this.reconciler = reconciler;
        this.nodes = nodes;
        this.clock = clock;
        this.guard = guard;
    }

    @PostMapping("/api/overrides")
    @ResponseStatus(HttpStatus.CREATED)
    OverrideReply override(@RequestAttribute(CurrentAccess.ACCESS) Access access, HttpServletRequest request) {
        JsonNode body = RequestBody.object(
                request, Set.of("rule", "limit", "caller", "numbers", "until", "in", "reason", "emergency"));
        JsonNode numbers = body.get("numbers");
        if (numbers == null || !numbers.isObject()) {
            throw RefusedException.invalid("numbers: missing (expected: an object such as {\"rate\": \"500/s\"})");
        }
        String rule = required(body, "rule");
        guard.requireRule(access, Right.OPERATE, rule);
        Adjustment made = book.override(
                access.actor(),
                new AdjustmentBook.Wish(
                        rule,
                        required(body, "limit"),
                        caller(body.get("caller")),
                        numbers.toString(),
                        until(body),
                        RequestBody.string(body, "reason", "")),
                EmergencyRequest.isMeant(body, request),
                bound(access, rule));
        reconciler.wake();
        return reply(made);
    }

    @GetMapping("/api/overrides")
    List<OverrideReply> overrides(
            @RequestAttribute(CurrentAccess.ACCESS) Access access,
            @RequestParam(name = "below", defaultValue = "" + Long.MAX_VALUE) long below,
            @RequestParam(name = "limit", defaultValue = "50") int limit,
            HttpServletRequest request,
            HttpServletResponse response) {
        return list(access, Adjustment.Kind.OVERRIDE, below, limit, RuleGuard.rest(request, response)).stream()
                .map(this::reply)
                .toList();
    }

    @DeleteMapping("/api/overrides/{id}")
    OverrideReply endOverride(
            @RequestAttribute(CurrentAccess.ACCESS) Access access,
            @PathVariable("id") long id,
            @RequestParam(name = "reason", defaultValue = "") String reason,
            HttpServletRequest request) {
        Adjustment ended = end(access, Adjustment.Kind.OVERRIDE, id, reason, request);
        return reply(ended);
    }

    @PostMapping("/api/switch")
    @ResponseStatus(HttpStatus.CREATED)
    SwitchReply switchToShadow(@RequestAttribute(CurrentAccess.ACCESS) Access access, HttpServletRequest request) {
        JsonNode body = RequestBody.object(request, Set.of("rule", "to", "until", "in", "reason", "emergency"));
        String to = RequestBody.string(body, "to", "");
        if (!to.equals("shadow")) {
            throw RefusedException.invalid("to: " + (to.isEmpty() ? "missing" : to) + " (expected: \"shadow\")");
        }
        String rule = required(body, "rule");
        guard.requireRule(access, Right.OPERATE, rule);
        Adjustment made = book.switchToShadow(
                access.actor(),
                rule,
                until(body),
                RequestBody.string(body, "reason", ""),
                EmergencyRequest.isMeant(body, request),
                bound(access, rule));
        reconciler.wake();
        return switchReply(made);
    }

    @GetMapping("/api/switch")
    List<SwitchReply> switches(
            @RequestAttribute(CurrentAccess.ACCESS) Access access,
            @RequestParam(name = "below", defaultValue = "" + Long.MAX_VALUE) long below,
            @RequestParam(name = "limit", defaultValue = "50") int limit,
            HttpServletRequest request,
            HttpServletResponse response) {
        return list(access, Adjustment.Kind.SWITCH, below, limit, RuleGuard.rest(request, response)).stream()
                .map(this::switchReply)
                .toList();
    }

    @DeleteMapping("/api/switch/{id}")
    SwitchReply endSwitch(
            @RequestAttribute(CurrentAccess.ACCESS) Access access,
            @PathVariable("id") long id,
            @RequestParam(name = "reason", defaultValue = "") String reason,
            HttpServletRequest request) {
        return switchReply(end(access, Adjustment.Kind.SWITCH, id, reason, request));
    }

    private List<Adjustment> list(Access access, Adjustment.Kind kind, long below, int limit, LongConsumer cut) {
        return RuleGuard.page(
                below,
                Math.max(1, Math.min(limit, MOST_IN_LIST)),
                (next, most) -> book.list(kind, next, most),
                Adjustment::id,
                guard.adjustments(access),
                cut);
    }

    private Adjustment end(Access access, Adjustment.Kind kind, long id, String reason, HttpServletRequest request) {
        JsonNode body = RequestBody.object(request, Set.of("reason"));
        Adjustment known = book.find(kind, id)
                .filter(guard.adjustments(access))
                .orElseThrow(() -> RuleGuard.missing(kind.word(), id));
        guard.requireRule(access, Right.OPERATE, known.rule());
        Adjustment ended = book.end(access.actor(), kind, id, RequestBody.string(body, "reason", reason));
        reconciler.wake();
        return ended;
    }

    /** Reads a caller. The error message does not repeat the value, because it is personal data. */
    private static Caller caller(@Nullable JsonNode caller) {
        if (caller == null || !caller.isObject() || caller.size() != 1) {
            throw noCaller();
        }
        String attribute = caller.propertyNames().iterator().next();
        JsonNode value = caller.get(attribute);
        if (!value.isString()) {
            throw noCaller();
        }
        try {
            return attribute.equals(HASH)
                    ? new Caller.ByHash(value.asString())
                    : new Caller.ByValue(attribute, value.asString());
        } catch (IllegalArgumentException e) {
            throw RefusedException.invalid(String.valueOf(e.getMessage()));
        }
    }

    private static RefusedException noCaller() {
        return RefusedException.invalid(
                "caller: missing or not one caller (expected: {\"user\": \"u-17\"} or {\"hash\": \"…\"})");
    }

    private Instant until(JsonNode body) {
        return RequestTime.until(body, Instant.ofEpochMilli(clock.epochMicros() / 1000));
    }

    private static AdjustmentBook.Bound bound(Access access, String rule) {
        return new AdjustmentBook.Bound(
                access.mayEverywhere(Right.OPERATE), RuleGuard.coveringRule(access, Right.OPERATE, rule));
    }

    private static String required(JsonNode body, String name) {
        String text = RequestBody.string(body, name, "");
        if (text.isEmpty()) {
            throw RefusedException.invalid(name + ": missing (expected: a text)");
        }
        return text;
    }

    private OverrideReply reply(Adjustment adjustment) {
        return OverrideReply.of(
                adjustment,
                nodes.appliedBy(adjustment.revision()),
                nodes.followers().size());
    }

    private SwitchReply switchReply(Adjustment adjustment) {
        return SwitchReply.of(
                adjustment,
                nodes.appliedBy(adjustment.revision()),
                nodes.followers().size());
    }
}
