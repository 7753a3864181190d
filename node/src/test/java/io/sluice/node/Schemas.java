package io.sluice.node;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/** Checks values against the schemas of an OpenAPI document. Supports exactly the keywords that the document uses. */
final class Schemas {

    private static final List<String> KNOWN = List.of(
            "$ref",
            "oneOf",
            "type",
            "enum",
            "pattern",
            "required",
            "properties",
            "additionalProperties",
            "items",
            "description",
            "default",
            "minimum",
            "maximum",
            "minItems",
            "maxItems");

    private final JsonNode document;

    Schemas(JsonNode document) {
        this.document = document;
    }

    void check(JsonNode schema, JsonNode value, String at) {
        assertThat(faults(schema, value, at)).isEmpty();
    }

    private List<String> faults(JsonNode schema, JsonNode value, String at) {
        List<String> faults = new ArrayList<>();
        schema.fieldNames().forEachRemaining(keyword -> assertThat(KNOWN).contains(keyword));
        if (schema.has("$ref")) {
            return faults(document.at(schema.get("$ref").asText().substring(1)), value, at);
        }
        if (schema.has("oneOf")) {
            long fitting = 0;
            for (JsonNode each : schema.get("oneOf")) {
                fitting += faults(each, value, at).isEmpty() ? 1 : 0;
            }
            if (fitting != 1) {
                faults.add(at + ": fits " + fitting + " of oneOf: " + value);
            }
            return faults;
        }
        if (schema.has("type") && !types(schema.get("type")).contains(type(value))) {
            faults.add(at + ": " + type(value) + " (expected: " + schema.get("type") + ")");
            return faults;
        }
        if (schema.has("enum") && !contains(schema.get("enum"), value)) {
            faults.add(at + ": " + value + " (expected: " + schema.get("enum") + ")");
        }
        if (schema.has("pattern")
                && !value.asText().matches(schema.get("pattern").asText())) {
            faults.add(at + ": " + value);
        }
        if (value.isObject()) {
            object(schema, value, at, faults);
        }
        if (value.isArray() && schema.has("items")) {
            for (int i = 0; i < value.size(); i++) {
                faults.addAll(faults(schema.get("items"), value.get(i), at + "[" + i + "]"));
            }
        }
        return faults;
    }

    private void object(JsonNode schema, JsonNode value, String at, List<String> faults) {
        schema.path("required").forEach(name -> {
            if (!value.has(name.asText())) {
                faults.add(at + "." + name.asText() + ": missing");
            }
        });
        value.properties().forEach(field -> {
            JsonNode own = schema.path("properties").get(field.getKey());
            JsonNode others = schema.path("additionalProperties");
            String place = at + "." + field.getKey();
            if (own != null) {
                faults.addAll(faults(own, field.getValue(), place));
            } else if (others.isObject()) {
                faults.addAll(faults(others, field.getValue(), place));
            } else if (others.isBoolean() && !others.asBoolean()) {
                faults.add(place + ": not described");
            }
        });
    }

    private static List<String> types(JsonNode type) {
        List<String> types = new ArrayList<>();
        if (type.isArray()) {
            type.forEach(each -> types.add(each.asText()));
        } else {
            types.add(type.asText());
        }
        return types;
    }

    private static String type(JsonNode value) {
        return switch (value.getNodeType()) {
            case NUMBER -> value.isIntegralNumber() ? "integer" : "number";
            case NULL -> "null";
            case OBJECT -> "object";
            case ARRAY -> "array";
            case BOOLEAN -> "boolean";
            default -> "string";
        };
    }

    private static boolean contains(JsonNode values, JsonNode value) {
        for (JsonNode each : values) {
            if (each.equals(value)) {
                return true;
            }
        }
        return false;
    }
}
