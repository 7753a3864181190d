package io.sluice.rules.flat;

import io.sluice.core.limit.Limit;
import io.sluice.rules.model.By;
import io.sluice.rules.model.Condition;
import io.sluice.rules.model.Handling;
import io.sluice.rules.model.Rule;
import io.sluice.rules.model.RuleLimit;
import io.sluice.rules.model.Scope;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Writes the flat fields of a rule as exactly as they allow. This is the reverse of {@link FlatShape} if the fields can express
 * the rule.
 */
final class FlatWriter {

    private static final String EACH = "*";
    private static final long MICROS_PER_SECOND = 1_000_000;

    private FlatWriter() {}

    /** Returns the fields in the order of the form. The caller may add to the map. */
    public static Map<String, String> fields(Rule rule) {
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("id", rule.id());
        rule.about().name().ifPresent(name -> fields.put("ruleName", name));
        Target target = target(rule);
        fields.put("limitType", target.type());
        fields.put("limitTarget", target.text());
        if (!rule.limits().isEmpty()) {
            Limit limit = rule.limits().get(0).limit();
            long micros = limit.windowMicros();
            long seconds = micros / MICROS_PER_SECOND + (micros % MICROS_PER_SECOND == 0 ? 0 : 1);
            fields.put("limitCount", Long.toString(limit.capacity()));
            fields.put("timeWindow", Long.toString(Math.max(1, seconds)));
            fields.put("strategy", limit.algorithm().toUpperCase(Locale.ROOT));
        }
        fields.put("enabled", Boolean.toString(rule.enabled()));
        Handling handling = rule.handling();
        fields.put("mode", handling.mode().word().toUpperCase(Locale.ROOT));
        handling.lease().size().ifPresent(size -> fields.put("batchSize", Long.toString(size)));
        return fields;
    }

    private record Target(String type, String text) {}

    private static Target target(Rule rule) {
        Scope scope = rule.scope();
        List<String> by = rule.limits().isEmpty() ? List.of() : by(rule.limits().get(0));
        if (scope.resource() != null) {
            return new Target("INTERFACE", (scope.service() == null ? EACH : scope.service()) + ":" + scope.resource());
        }
        if (scope.service() != null) {
            return by.equals(List.of("path"))
                    ? new Target("INTERFACE", scope.service() + ":" + EACH)
                    : new Target("SERVICE", scope.service());
        }
        if (scope.match().size() == 1) {
            Condition only = scope.match().values().iterator().next();
            if (only.texts().size() == 1) {
                return ofValue(only.attribute(), only.texts().get(0));
            }
        }
        if (by.equals(List.of("service"))) {
            return new Target("SERVICE", EACH);
        }
        if (by.equals(List.of("service", "path"))) {
            return new Target("INTERFACE", EACH);
        }
        if (by.size() == 1) {
            return ofValue(by.get(0), EACH);
        }
        return scope.equals(Scope.EVERYTHING) && by.isEmpty()
                ? new Target("GLOBAL", "GLOBAL")
                : new Target("CUSTOM", "rule:" + rule.id());
    }

    private static Target ofValue(String attribute, String value) {
        return switch (attribute) {
            case "ip", "user", "tenant" -> new Target(attribute.toUpperCase(Locale.ROOT), value);
            default -> new Target("CUSTOM", attribute + ":" + value);
        };
    }

    private static List<String> by(RuleLimit limit) {
        return limit.by().stream().map(By::attribute).toList();
    }
}
