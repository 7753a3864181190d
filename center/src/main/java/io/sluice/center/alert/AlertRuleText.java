package io.sluice.center.alert;

import io.sluice.center.destination.AlertSeverity;
import io.sluice.center.http.RequestBody;
import io.sluice.center.refusal.RefusedException;
import io.sluice.rules.yaml.PrintableText;
import io.sluice.rules.yaml.Spans;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/** Reads and writes alert rules as JSON. Missing fields keep their value. */
final class AlertRuleText {

    static final String FOR = "for";
    static final String CLEAR_FOR = "clear_for";
    static final String REPEAT = "repeat";

    /** The fields of every kind. */
    private static final Set<String> COMMON = Set.of("kind", "enabled", "severity", FOR, CLEAR_FOR, REPEAT);

    /** The id is part of paths. */
    private static final Pattern ID = Pattern.compile("[a-z0-9][a-z0-9_-]{0,63}");

    private static final Pattern RULE = Pattern.compile("[^\\p{Cntrl}]{1,200}");
    private static final Duration LONGEST_HOLD = Duration.ofDays(1);
    private static final Duration LONGEST_REPEAT = Duration.ofDays(30);
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration MINUTE = Duration.ofMinutes(1);

    /** Counts by the second are kept for an hour. */
    private static final Duration LONGEST_WITHIN = Duration.ofMinutes(55);

    private static final long MOST = 1_000_000_000;
    private static final double ALL = 100;
    private static final double MOST_TIMES = 1_000;

    private AlertRuleText() {}

    static boolean isId(String text) {
        return ID.matcher(text).matches();
    }

    /** Returns the names of the fields of all kinds of rules. */
    static Set<String> fields() {
        Set<String> all = new TreeSet<>(COMMON);
        for (AlertKind kind : AlertKind.values()) {
            all.addAll(kind.fields());
        }
        return all;
    }

    /** Returns the rule with the fields of the object. */
    static AlertRule with(AlertRule rule, JsonNode body) {
        requireOwn(rule.kind(), body);
        Thresholds now = rule.thresholds();
        return new AlertRule(
                rule.id(),
                rule.kind(),
                rule.revision(),
                RequestBody.flag(body, "enabled", rule.enabled()),
                severity(RequestBody.string(body, "severity", rule.severity().word())),
                span(body, FOR, rule.hold(), Duration.ZERO, LONGEST_HOLD),
                span(body, CLEAR_FOR, rule.clearFor(), Duration.ZERO, LONGEST_HOLD),
                span(body, REPEAT, rule.repeat(), MINUTE, LONGEST_REPEAT),
                new Thresholds(
                        whole(body, Thresholds.REFUSED, now.refused()),
                        decimal(body, Thresholds.SHARE, now.share(), ALL),
                        decimal(body, Thresholds.FACTOR, now.factor(), MOST_TIMES),
                        whole(body, Thresholds.REQUESTS, now.requests()),
                        span(body, Thresholds.WITHIN, now.within(), MINUTE, LONGEST_WITHIN),
                        span(body, Thresholds.AFTER, now.after(), SECOND, LONGEST_HOLD),
                        target(body, now.rule())));
    }

    /** Returns the fields of a rule. */
    static Map<String, Object> fields(AlertRule rule) {
        Thresholds numbers = rule.thresholds();
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("kind", rule.kind().word());
        fields.put("enabled", rule.enabled());
        fields.put("severity", rule.severity().word());
        fields.put(FOR, Spans.text(rule.hold()));
        fields.put(CLEAR_FOR, Spans.text(rule.clearFor()));
        fields.put(REPEAT, Spans.text(rule.repeat()));
        fields.put(Thresholds.REFUSED, numbers.refused());
        fields.put(Thresholds.SHARE, numbers.share());
        fields.put(Thresholds.FACTOR, numbers.factor());
        fields.put(Thresholds.REQUESTS, numbers.requests());
        fields.put(Thresholds.WITHIN, Spans.text(numbers.within()));
        fields.put(Thresholds.AFTER, Spans.text(numbers.after()));
        fields.put(Thresholds.RULE, numbers.rule());
        fields.keySet()
                .removeIf(
                        name -> !COMMON.contains(name) && !rule.kind().fields().contains(name));
        return fields;
    }

    private static void requireOwn(AlertKind kind, JsonNode body) {
        Set<String> others = fields();
        others.removeAll(COMMON);
        others.removeAll(kind.fields());
        others.retainAll(body.propertyNames());
        if (!others.isEmpty()) {
            Set<String> own = new TreeSet<>(COMMON);
            own.addAll(kind.fields());
            throw RefusedException.invalid(String.join(", ", others) + ": not of " + kind.word() + " (expected: "
                    + String.join(", ", own) + ")");
        }
    }

    private static AlertSeverity severity(String word) {
        return AlertSeverity.find(word)
                .orElseThrow(() -> RefusedException.invalid(
                        "severity: " + PrintableText.text(word) + " (expected: info, warning or critical)"));
    }

    private static Duration span(JsonNode body, String name, Duration otherwise, Duration shortest, Duration longest) {
        String text = RequestBody.string(body, name, Spans.text(otherwise));
        if (text.equals("0s") && shortest.isZero()) {
            return Duration.ZERO;
        }
        Duration span = Spans.of(text);
        if (span.isZero() || span.compareTo(shortest) < 0 || span.compareTo(longest) > 0) {
            throw RefusedException.invalid(name + ": " + PrintableText.text(text) + " (expected: "
                    + Spans.text(shortest) + " to " + Spans.text(longest) + ", such as 5m)");
        }
        return span;
    }

    private static long whole(JsonNode body, String name, long otherwise) {
        long number = RequestBody.number(body, name, otherwise);
        if (number < 1 || number > MOST) {
            throw RefusedException.invalid(name + ": " + number + " (expected: 1 to " + MOST + ")");
        }
        return number;
    }

    private static double decimal(JsonNode body, String name, double otherwise, double most) {
        JsonNode value = body.get(name);
        if (value == null || value.isNull()) {
            return otherwise;
        }
        if (!value.isNumber() || !(value.asDouble() > 0) || value.asDouble() > most) {
            throw RefusedException.invalid(
                    name + ": not usable (expected: a number above 0, at most " + (long) most + ")");
        }
        return value.asDouble();
    }

    private static String target(JsonNode body, String otherwise) {
        String rule = RequestBody.string(body, Thresholds.RULE, otherwise);
        if (!rule.isEmpty() && !RULE.matcher(rule).matches()) {
            throw RefusedException.invalid(
                    "rule: not usable (expected: the id of a rule, * for each rule, or nothing)");
        }
        return rule;
    }
}
