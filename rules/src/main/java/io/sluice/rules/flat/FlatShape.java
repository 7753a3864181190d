package io.sluice.rules.flat;

import io.sluice.core.limit.Algorithm;
import io.sluice.core.limit.Parameter;
import io.sluice.rules.json.JsonLine;
import io.sluice.rules.yaml.Fields;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** Converts the flat form of a rule to the JSON form that {@link io.sluice.rules.document.RuleReader} reads. */
final class FlatShape {

    private static final Set<String> FIELDS = Set.of(
            "id",
            "ruleName",
            "limitType",
            "limitTarget",
            "limitCount",
            "timeWindow",
            "enabled",
            "strategy",
            "mode",
            "batchSize",
            "document");
    private static final List<String> REQUIRED =
            List.of("id", "limitType", "limitTarget", "limitCount", "timeWindow", "strategy");
    private static final List<String> STRATEGIES =
            Stream.of(Algorithm.values()).map(Algorithm::name).toList();
    private static final Set<String> MODES = Set.of("DISTRIBUTED", "LOCAL_DISTRIBUTED", "LOCAL");
    private static final String EACH = "*";
    private static final int MOST_DIGITS = 13;

    private final Map<String, String> fields;
    private final List<String> errors;
    private final Map<String, Object> rule = new LinkedHashMap<>();
    private final Map<String, Object> limit = new LinkedHashMap<>();

    private FlatShape(Map<String, String> fields, List<String> errors) {
        this.fields = fields;
        this.errors = errors;
    }

    /** Returns a document with one rule. It is meaningless if there were errors. */
    public static String json(Map<String, String> fields, List<String> errors) {
        return new FlatShape(fields, errors).json();
    }

    private String json() {
        for (String field : fields.keySet()) {
            if (!FIELDS.contains(field)) {
                error(
                        field,
                        "one of id, ruleName, limitType, limitTarget, limitCount, timeWindow, enabled, strategy, "
                                + "mode, batchSize, document");
            }
        }
        for (String field : REQUIRED) {
            if (text(field).isEmpty()) {
                errors.add(field + ": missing (expected: a non-empty value)");
            }
        }
        if (!errors.isEmpty()) {
            return "";
        }
        rule.put("id", text("id"));
        if (!text("ruleName").isEmpty()) {
            rule.put("name", text("ruleName"));
        }
        enabled();
        mode();
        target();
        numbers();
        rule.put("limits", List.of(limit));
        return errors.isEmpty() ? JsonLine.of(rule) : "";
    }

    private void enabled() {
        switch (text("enabled").toLowerCase(Locale.ROOT)) {
            case "", "true", "1" -> {}
            case "false", "0" -> rule.put("enabled", false);
            default -> error("enabled", "true or false");
        }
    }

    private void mode() {
        String mode = text("mode").toUpperCase(Locale.ROOT);
        if (!mode.isEmpty() && !MODES.contains(mode)) {
            error("mode", "DISTRIBUTED, LOCAL_DISTRIBUTED or LOCAL");
            return;
        }
        if (!mode.isEmpty()) {
            rule.put("mode", mode.toLowerCase(Locale.ROOT));
        }
        // A rule that is not leased may still have a lease size, because some tools fill in every field.
        if (!text("batchSize").isEmpty() && !text("batchSize").equals("0")) {
            long size = number("batchSize");
            if (mode.equals("LOCAL_DISTRIBUTED")) {
                rule.put("lease", Map.of("size", size));
            }
        }
    }

    private void target() {
        String target = text("limitTarget");
        switch (text("limitType").toUpperCase(Locale.ROOT)) {
            case "GLOBAL" -> {}
            case "SERVICE" -> {
                if (target.equals(EACH)) {
                    limit.put("by", "service");
                } else {
                    rule.put("service", target);
                }
            }
            case "INTERFACE" -> route(target);
            case "IP" -> value("ip", target);
            case "USER" -> value("user", target);
            case "TENANT" -> value("tenant", target);
            case "CUSTOM" -> custom(target);
            default -> error("limitType", "GLOBAL, SERVICE, INTERFACE, IP, USER, TENANT or CUSTOM");
        }
    }

    /** Reads {@code service:path}. Either part may be {@code *}. */
    private void route(String target) {
        if (target.equals(EACH)) {
            limit.put("by", List.of("service", "path"));
            return;
        }
        int colon = target.indexOf(':');
        if (colon < 1 || colon == target.length() - 1) {
            error("limitTarget", "service:path, such as orders:/api/orders");
            return;
        }
        String service = target.substring(0, colon);
        String path = target.substring(colon + 1);
        if (!service.equals(EACH)) {
            rule.put("service", service);
        }
        if (!path.equals(EACH)) {
            rule.put("resource", path);
        }
        if (service.equals(EACH) && path.equals(EACH)) {
            limit.put("by", List.of("service", "path"));
        } else if (service.equals(EACH)) {
            limit.put("by", "service");
        } else if (path.equals(EACH)) {
            limit.put("by", "path");
        }
    }

    private void custom(String target) {
        int colon = target.indexOf(':');
        if (colon < 1 || colon == target.length() - 1) {
            error("limitTarget", "attribute:value, such as plan:free");
            return;
        }
        value(target.substring(0, colon), target.substring(colon + 1));
    }

    private void value(String attribute, String value) {
        if (value.equals(EACH)) {
            limit.put("by", attribute);
        } else {
            rule.put("match", Map.of(attribute, value));
        }
    }

    private void numbers() {
        String strategy = text("strategy").toUpperCase(Locale.ROOT);
        if (!STRATEGIES.contains(strategy)) {
            error("strategy", Fields.anyOf(STRATEGIES));
            return;
        }
        long count = number("limitCount");
        long seconds = number("timeWindow");
        if (seconds == 0) {
            error("timeWindow", "at least 1, in seconds");
        }
        if (!errors.isEmpty()) {
            return;
        }
        Algorithm algorithm = Algorithm.valueOf(strategy);
        limit.put("algorithm", algorithm.word());
        for (Parameter parameter : algorithm.parameters()) {
            String key = parameter.word();
            switch (parameter) {
                case RATE -> limit.put(key, count + "/" + seconds + "s");
                case LIMIT -> limit.put(key, count);
                case WINDOW, TTL -> limit.put(key, seconds + "s");
                case BURST, CAPACITY -> {
                    if (count > 0) {
                        limit.put(key, count);
                    }
                }
                default -> {}
            }
        }
    }

    private long number(String field) {
        String text = text(field);
        if (text.isEmpty() || text.length() > MOST_DIGITS || !text.chars().allMatch(c -> c >= '0' && c <= '9')) {
            error(field, "a whole number, 0 or more, of at most 13 digits");
            return 0;
        }
        return Long.parseLong(text);
    }

    private String text(String field) {
        String value = fields.get(field);
        return value == null ? "" : value.strip();
    }

    private void error(String field, String expected) {
        String value = text(field);
        String shown = value.length() > 40 ? value.substring(0, 40) + "…" : value;
        errors.add(field + ": \"" + shown + "\" (expected: " + expected + ")");
    }
}
