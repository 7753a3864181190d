package io.sluice.spring.boot.founding;

import io.sluice.rules.yaml.DocumentError;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * The limits in {@code rate.limit.configs}, by name. Each limit is a rule that applies only where code, a route or a client
 * names it. For a {@code @LimitPoint} that counts by address, the address is part of the key. Immutable.
 *
 * @param rules the fields of each rule, as in a rule document
 * @param errors the errors in properties that are not part of a rule
 */
public record FoundingLimits(Map<String, Map<String, Object>> rules, List<DocumentError> errors) {

    /** The name of the properties. */
    public static final String PREFIX = "rate.limit.configs";

    static final int DEFAULT_LIMIT = 100;
    static final int DEFAULT_WINDOW_MILLIS = 60_000;

    private static final String LIMIT = "limit";
    private static final String WINDOW = "window";
    private static final Pattern MILLIS = Pattern.compile("[0-9]+");

    /** Returns whether the application has such properties. */
    public static boolean areIn(Environment environment) {
        return Binder.get(environment)
                .bind(PREFIX, Bindable.mapOf(String.class, Object.class))
                .isBound();
    }

    public static FoundingLimits read(Environment environment) {
        Map<String, Map<String, Object>> rules = new TreeMap<>();
        List<DocumentError> errors = new ArrayList<>();
        Binder.get(environment)
                .bind(PREFIX, Bindable.mapOf(String.class, Object.class))
                .orElse(Map.of())
                .forEach((name, value) -> rules.put(name, rule(name, fields(name, value, errors))));
        return new FoundingLimits(rules, errors);
    }

    private static Map<String, String> fields(String name, Object value, List<DocumentError> errors) {
        Map<String, String> fields = new LinkedHashMap<>();
        if (value instanceof Map<?, ?> written) {
            written.forEach((field, number) -> fields.put(String.valueOf(field), String.valueOf(number)));
        } else if (!String.valueOf(value).isEmpty()) {
            errors.add(DocumentError.of(PREFIX + "." + name, value + " (expected: limit and window)"));
        }
        fields.keySet().stream()
                .filter(field -> !field.equals(LIMIT) && !field.equals(WINDOW))
                .forEach(field -> errors.add(
                        DocumentError.of(PREFIX + "." + name + "." + field, "unknown (expected: limit or window)")));
        return fields;
    }

    private static Map<String, Object> rule(String name, Map<String, String> fields) {
        String window = fields.getOrDefault(WINDOW, Integer.toString(DEFAULT_WINDOW_MILLIS));
        Map<String, Object> counted = new LinkedHashMap<>();
        counted.put("by", "key");
        counted.put("absent", "share");
        counted.put("algorithm", "sliding_window");
        counted.put(LIMIT, fields.getOrDefault(LIMIT, Integer.toString(DEFAULT_LIMIT)));
        counted.put(WINDOW, MILLIS.matcher(window).matches() ? window + "ms" : window);
        Map<String, Object> rule = new LinkedHashMap<>();
        rule.put("id", name);
        rule.put("for", "code");
        rule.put("limits", List.of(counted));
        return rule;
    }
}
