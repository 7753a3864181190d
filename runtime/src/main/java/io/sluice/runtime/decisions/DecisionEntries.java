package io.sluice.runtime.decisions;

import io.sluice.core.spi.FailurePolicy;
import io.sluice.core.spi.Label;
import io.sluice.rules.caller.CallerMark;
import io.sluice.rules.caller.CallerMarks;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.caller.MaskedValues;
import io.sluice.rules.changes.LimitWords;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.model.Action;
import io.sluice.rules.model.Rule;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.runtime.data.DecisionEntry;
import io.sluice.runtime.data.DecisionEntry.Outcome;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/** Describes decisions for logs, without identifying the caller. Takes some microseconds. Thread-safe. */
final class DecisionEntries {

    private static final List<String> USUAL_DIMENSIONS = List.of("ip", "user", "tenant");
    private static final int MOST_DIMENSIONS = 12;
    private static final int MOST_NAMED = 5;

    /** The maximum number of characters of a text. Even with every character escaped, the entry is short enough for every reader. */
    private static final int LONGEST_TEXT = 400;

    private final CallerMarks marks;

    DecisionEntries(KeySettings keys) {
        this.marks = new CallerMarks(keys);
    }

    /** @param set the rules that were in force at the decision */
    DecisionEntry of(long atMillis, Attributes request, Ruling.Settled ruling, RuleSet set) {
        Rule rule = ruling.rule();
        Ruling.Reported reported = ruling.reported();
        Map<String, CallerMark> dimensions = dimensions(set, rule, reported, request);
        MaskedValues values = marks.values(set, dimensions.keySet(), request);
        long threshold = reported == null ? 0 : reported.limit().capacity();
        return new DecisionEntry(
                atMillis,
                cut(values.in(request.origin().requestId())),
                request.origin().traceId(),
                shown(set, "service", request, values),
                shown(set, "path", request, values),
                shown(set, "method", request, values),
                dimensions,
                rule == null ? "" : rule.id(),
                reported == null ? "" : reported.id(),
                outcome(ruling),
                reason(ruling),
                reported == null || !isCounted(ruling) ? 0 : Math.max(0, threshold - reported.remaining()),
                threshold,
                ruling.permits(),
                ruling.mode(),
                ruling.degraded() == null ? "" : ruling.degraded(),
                ruling.ruleVersion(),
                marks.caller(set, rule, reported == null ? null : reported.id(), request));
    }

    private static Outcome outcome(Ruling.Settled ruling) {
        return switch (ruling.action()) {
            case DENY -> Outcome.DENIED;
            case EXEMPT -> Outcome.EXEMPT;
            case LIMIT -> ruling.allowed() ? Outcome.ALLOWED : Outcome.REJECTED;
        };
    }

    /** Returns whether the request was counted: by the store, or by this process in its place. */
    private static boolean isCounted(Ruling.Settled ruling) {
        return !lacksAttribute(ruling) && (ruling.degraded() == null || policy(ruling.rule()) == FailurePolicy.LOCAL);
    }

    /** Engines are not asked about a request that a limit cannot count. */
    private static boolean lacksAttribute(Ruling.Settled ruling) {
        return ruling.action() == Action.LIMIT
                && !ruling.allowed()
                && ruling.decisions().isEmpty();
    }

    private static @Nullable FailurePolicy policy(@Nullable Rule rule) {
        return rule == null ? null : rule.handling().onFailure();
    }

    private static String reason(Ruling.Settled ruling) {
        StringBuilder reason = new StringBuilder(verdict(ruling));
        if (!ruling.shadowRefused().isEmpty()) {
            StringJoiner names = new StringJoiner(", ");
            ruling.shadowRefused().stream()
                    .map(Label::limit)
                    .distinct()
                    .limit(MOST_NAMED)
                    .forEach(names::add);
            reason.append("; would be refused by ").append(names).append(" (shadow)");
        }
        return reason.toString();
    }

    private static String verdict(Ruling.Settled ruling) {
        Rule rule = ruling.rule();
        Ruling.Reported reported = ruling.reported();
        String id = rule == null ? "" : rule.id();
        if (ruling.action() != Action.LIMIT) {
            return (ruling.action() == Action.DENY ? "denied by rule " : "exempt by rule ") + id;
        }
        if (lacksAttribute(ruling)) {
            return "lacks an attribute that " + (reported == null ? id : reported.id()) + " counts by";
        }
        FailurePolicy policy = policy(rule);
        String failure =
                ruling.degraded() == null ? "" : ruling.degraded() + (policy == null ? "" : ", policy " + word(policy));
        if (reported == null) {
            return !failure.isEmpty() ? failure : ruling.matched().isEmpty() ? "no rule matches" : "no limit applies";
        }
        if (!failure.isEmpty() && policy != FailurePolicy.LOCAL) {
            return failure;
        }
        return (ruling.allowed() ? "within " : "exceeds ")
                + LimitWords.amount(reported.limit())
                + (failure.isEmpty() ? "" : " (" + failure + ")");
    }

    private Map<String, CallerMark> dimensions(
            RuleSet set, @Nullable Rule rule, Ruling.@Nullable Reported reported, Attributes request) {
        Set<String> names = new LinkedHashSet<>(USUAL_DIMENSIONS);
        if (reported != null) {
            names.addAll(reported.by());
            if (rule != null) {
                rule.limits().stream()
                        .filter(limit -> limit.id().equals(reported.id()))
                        .flatMap(limit -> limit.by().stream())
                        .forEach(by -> by.otherwise().ifPresent(names::add));
            }
        }
        Map<String, CallerMark> dimensions = new LinkedHashMap<>();
        names.stream().limit(MOST_DIMENSIONS).forEach(name -> marks.of(set, name, request)
                .ifPresent(mark -> dimensions.put(name, mark)));
        return dimensions;
    }

    /** Returns an attribute with values masked that identify the caller. A rule may require a hash instead. */
    private String shown(RuleSet set, String name, Attributes request, MaskedValues values) {
        String value = request.get(name);
        if (value == null) {
            return "";
        }
        return marks.hides(set, name)
                ? marks.of(set, name, request).map(CallerMark::shown).orElse("")
                : cut(values.in(value));
    }

    private static String cut(String text) {
        return text.length() > LONGEST_TEXT ? text.substring(0, LONGEST_TEXT) : text;
    }

    private static String word(FailurePolicy policy) {
        return switch (policy) {
            case OPEN -> "open";
            case LOCAL -> "local";
            case CLOSED -> "closed";
        };
    }
}
