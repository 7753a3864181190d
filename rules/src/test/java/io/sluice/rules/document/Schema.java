package io.sluice.rules.document;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Validates values against the subset of JSON Schema that our schema uses. An unknown keyword is an error. */
final class Schema {

    private static final Set<String> NOTES = Set.of("$schema", "$id", "$defs", "title", "description");

    private final Map<?, ?> root;

    Schema(String json) {
        this.root = map(JsonValues.parse(json));
    }

    Map<?, ?> root() {
        return root;
    }

    Map<?, ?> definition(String name) {
        return map(map(root.get("$defs")).get(name));
    }

    boolean accepts(@Nullable Object value) {
        return accepts(root, value);
    }

    private boolean accepts(@Nullable Object schema, @Nullable Object value) {
        if (schema instanceof Boolean always) {
            return always;
        }
        Map<?, ?> rules = map(schema);
        for (Map.Entry<?, ?> rule : rules.entrySet()) {
            String keyword = (String) rule.getKey();
            if (!NOTES.contains(keyword) && !accepts(keyword, rule.getValue(), rules, value)) {
                return false;
            }
        }
        return true;
    }

    private boolean accepts(String keyword, @Nullable Object rule, Map<?, ?> rules, @Nullable Object value) {
        return switch (keyword) {
            case "$ref" -> accepts(definition(((String) rule).substring("#/$defs/".length())), value);
            case "allOf" -> list(rule).stream().allMatch(each -> accepts(each, value));
            case "anyOf" -> list(rule).stream().anyMatch(each -> accepts(each, value));
            case "oneOf" ->
                list(rule).stream().filter(each -> accepts(each, value)).count() == 1;
            case "not" -> !accepts(rule, value);
            case "if" -> acceptsBranch(rules, accepts(rule, value) ? "then" : "else", value);
            case "then", "else" -> true;
            case "type" ->
                rule instanceof List<?> types
                        ? types.stream().anyMatch(type -> isA((String) type, value))
                        : isA((String) rule, value);
            case "const" -> rule.equals(value);
            case "enum" -> list(rule).contains(value);
            default ->
                value instanceof String text
                        ? acceptsText(keyword, rule, text)
                        : value instanceof Double number
                                ? acceptsNumber(keyword, (Double) numeric(rule), number)
                                : value instanceof List<?> items
                                        ? acceptsList(keyword, rule, items)
                                        : !(value instanceof Map<?, ?> map) || acceptsMap(keyword, rule, rules, map);
        };
    }

    private boolean acceptsBranch(Map<?, ?> rules, String branch, @Nullable Object value) {
        return !rules.containsKey(branch) || accepts(rules.get(branch), value);
    }

    private static boolean isA(String type, @Nullable Object value) {
        return switch (type) {
            case "string" -> value instanceof String;
            case "number" -> value instanceof Double;
            case "integer" -> value instanceof Double number && number % 1 == 0;
            case "boolean" -> value instanceof Boolean;
            case "array" -> value instanceof List<?>;
            case "object" -> value instanceof Map<?, ?>;
            default -> throw new AssertionError(type);
        };
    }

    private static boolean acceptsText(String keyword, @Nullable Object rule, String text) {
        return switch (keyword) {
            case "pattern" -> Pattern.compile((String) rule).matcher(text).find();
            case "minLength" -> text.length() >= (Double) rule;
            case "maxLength" -> text.length() <= (Double) rule;
            default -> known(keyword);
        };
    }

    private static boolean acceptsNumber(String keyword, Double rule, double number) {
        return switch (keyword) {
            case "minimum" -> number >= rule;
            case "maximum" -> number <= rule;
            case "exclusiveMinimum" -> number > rule;
            default -> known(keyword);
        };
    }

    private boolean acceptsList(String keyword, @Nullable Object rule, List<?> items) {
        return switch (keyword) {
            case "items" -> items.stream().allMatch(item -> accepts(rule, item));
            case "minItems" -> items.size() >= (Double) rule;
            case "maxItems" -> items.size() <= (Double) rule;
            case "uniqueItems" -> new HashSet<>(items).size() == items.size();
            default -> known(keyword);
        };
    }

    private boolean acceptsMap(String keyword, @Nullable Object rule, Map<?, ?> rules, Map<?, ?> map) {
        return switch (keyword) {
            case "properties" ->
                map(rule).entrySet().stream()
                        .allMatch(each ->
                                !map.containsKey(each.getKey()) || accepts(each.getValue(), map.get(each.getKey())));
            case "additionalProperties" ->
                map.entrySet().stream()
                        .filter(each -> !rules.containsKey("properties")
                                || !map(rules.get("properties")).containsKey(each.getKey()))
                        .allMatch(each -> accepts(rule, each.getValue()));
            case "required" -> map.keySet().containsAll(list(rule));
            case "dependentRequired" ->
                map(rule).entrySet().stream()
                        .allMatch(each ->
                                !map.containsKey(each.getKey()) || map.keySet().containsAll(list(each.getValue())));
            case "propertyNames" -> map.keySet().stream().allMatch(name -> accepts(rule, name));
            case "minProperties" -> map.size() >= (Double) rule;
            case "maxProperties" -> map.size() <= (Double) rule;
            default -> known(keyword);
        };
    }

    /** Returns true for a keyword that applies to other kinds of values. */
    private static boolean known(String keyword) {
        if (!Set.of(
                        "pattern",
                        "minLength",
                        "maxLength",
                        "minimum",
                        "maximum",
                        "exclusiveMinimum",
                        "items",
                        "minItems",
                        "maxItems",
                        "uniqueItems",
                        "properties",
                        "additionalProperties",
                        "required",
                        "dependentRequired",
                        "propertyNames",
                        "minProperties",
                        "maxProperties")
                .contains(keyword)) {
            throw new AssertionError("keyword: " + keyword);
        }
        return true;
    }

    private static Object numeric(@Nullable Object rule) {
        return rule instanceof Double ? rule : Double.valueOf(0);
    }

    static Map<?, ?> map(@Nullable Object value) {
        return (Map<?, ?>) value;
    }

    static List<?> list(@Nullable Object value) {
        return (List<?>) value;
    }
}
