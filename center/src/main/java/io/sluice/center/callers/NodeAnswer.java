package io.sluice.center.callers;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads answers of nodes to questions. Unknown fields are ignored, and every size is bounded. No error message repeats text from
 * a node, because it may reveal the identity of a caller.
 */
public final class NodeAnswer {

    private static final JsonMapper JSON = JsonMapper.shared();
    private static final int MOST_LIMITS = 200;
    private static final int MOST_ATTRIBUTES = 50;
    private static final int LONGEST_NAME = 300;
    private static final int LONGEST_VALUE = 10_000;

    /** The fields of a limit in the reply of {@code POST /v1/explain}. */
    private static final Set<String> LIMIT_FIELDS = Set.of(
            "id",
            "algorithm",
            "limit",
            "window_ms",
            "rate",
            "by",
            "rule",
            "level",
            "key",
            "hash",
            "used",
            "remaining",
            "retry_after_ms",
            "reset_after_ms",
            "would_allow",
            "shadow",
            "override");

    private NodeAnswer() {}

    /**
     * The explanation of a request by a node.
     *
     * @param allowed the decision of the node over all its rules; empty if the answer does not contain it
     * @param degraded whether the node decides without its shared store
     * @param version the version of the node's rules; empty if the answer does not contain it
     * @param limits the limits that the reader may see
     */
    public record Explained(
            Optional<Boolean> allowed, boolean degraded, OptionalLong version, List<Map<String, Object>> limits) {

        public Explained {
            limits = List.copyOf(limits);
        }

        @Override
        public String toString() {
            // The limits may reveal the identity of a caller.
            return "Explained(" + limits.size() + ")";
        }
    }

    /**
     * Reads an explanation.
     *
     * @throws IllegalArgumentException if the text is not an explanation
     */
    public static Explained explained(String json, Predicate<String> sees) {
        JsonNode answer = parse(json);
        JsonNode allowed = answer.path("allowed");
        JsonNode version = answer.path("rule_version");
        return new Explained(
                allowed.isBoolean() ? Optional.of(allowed.asBoolean()) : Optional.empty(),
                answer.path("degraded").isString(),
                version.isIntegralNumber() && version.canConvertToLong()
                        ? OptionalLong.of(version.asLong())
                        : OptionalLong.empty(),
                limits(answer, sees));
    }

    /**
     * Returns the limits of an explanation that the reader may see.
     *
     * @throws IllegalArgumentException if the text is not an explanation
     */
    static List<Map<String, Object>> limits(String json, Predicate<String> sees) {
        return limits(parse(json), sees);
    }

    private static List<Map<String, Object>> limits(JsonNode answer, Predicate<String> sees) {
        JsonNode all = answer.path("limits");
        if (!all.isArray()) {
            throw unreadable();
        }
        List<Map<String, Object>> limits = new ArrayList<>();
        for (JsonNode each : all.values()) {
            JsonNode rule = each.path("rule");
            if (rule.isString() && sees.test(rule.asString()) && limits.size() < MOST_LIMITS) {
                limits.add(limit(each));
            }
        }
        return limits;
    }

    private static Map<String, Object> limit(JsonNode sent) {
        Map<String, Object> limit = new LinkedHashMap<>();
        sent.properties().forEach(field -> {
            JsonNode value = field.getValue();
            if (!LIMIT_FIELDS.contains(field.getKey())) {
                return;
            }
            if (value.isString() && value.asString().length() <= LONGEST_NAME) {
                limit.put(field.getKey(), value.asString());
            } else if (value.isIntegralNumber() && value.canConvertToLong()) {
                limit.put(field.getKey(), value.asLong());
            } else if (value.isBoolean()) {
                limit.put(field.getKey(), value.asBoolean());
            } else if (value.isArray() && value.size() <= MOST_ATTRIBUTES) {
                limit.put(
                        field.getKey(),
                        value.values().stream()
                                .filter(JsonNode::isString)
                                .map(JsonNode::asString)
                                .filter(text -> text.length() <= LONGEST_NAME)
                                .toList());
            }
        });
        return limit;
    }

    /**
     * Returns the identity of a caller.
     *
     * @throws IllegalArgumentException if the answer does not contain it
     */
    static RevealReply reveal(String hash, String json) {
        JsonNode answer = parse(json);
        Map<String, String> attributes = new LinkedHashMap<>();
        answer.path("attributes").properties().forEach(each -> {
            if (!each.getValue().isString()
                    || each.getValue().asString().length() > LONGEST_VALUE
                    || each.getKey().length() > LONGEST_NAME
                    || attributes.size() >= MOST_ATTRIBUTES) {
                throw unreadable();
            }
            attributes.put(each.getKey(), each.getValue().asString());
        });
        List<String> hidden = new ArrayList<>();
        for (JsonNode each : answer.path("hidden").values()) {
            if (!each.isString() || each.asString().length() > LONGEST_NAME || hidden.size() >= MOST_ATTRIBUTES) {
                throw unreadable();
            }
            hidden.add(each.asString());
        }
        hidden.forEach(attributes::remove);
        return new RevealReply(hash, attributes, hidden);
    }

    private static JsonNode parse(String json) {
        try {
            return JSON.readTree(json);
        } catch (JacksonException e) {
            throw unreadable();
        }
    }

    private static IllegalArgumentException unreadable() {
        return new IllegalArgumentException(
                "the answer of a node cannot be read (expected: a node of the same version)");
    }
}
