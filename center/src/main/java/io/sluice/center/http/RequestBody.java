package io.sluice.center.http;

import io.sluice.center.refusal.RefusedException;
import jakarta.servlet.http.HttpServletRequest;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The body of a request, parsed strictly: UTF-8, no duplicate field, no unknown field. {@link BodyReader} has read it before. */
public final class RequestBody {

    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private RequestBody() {}

    public static byte[] bytes(HttpServletRequest request) {
        return (byte[]) Objects.requireNonNull(request.getAttribute(CurrentAccess.BODY));
    }

    public static String text(HttpServletRequest request) {
        byte[] bytes = bytes(request);
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw RefusedException.invalid("body: not UTF-8 (expected: UTF-8)");
        }
    }

    /** Returns the body as an object with no other fields than the given ones. */
    public static JsonNode object(HttpServletRequest request, Set<String> fields) {
        return object(text(request), fields);
    }

    public static JsonNode object(String text, Set<String> fields) {
        JsonNode body;
        try {
            body = JSON.readTree(text.isBlank() ? "{}" : text);
        } catch (JacksonException e) {
            throw RefusedException.invalid("body: not JSON: " + e.getOriginalMessage() + " (expected: a JSON object)");
        }
        requireFields("body", body, fields);
        return body;
    }

    /** Requires an object with no other fields than the given ones. */
    public static void requireFields(String name, JsonNode object, Set<String> fields) {
        if (!object.isObject()) {
            throw RefusedException.invalid(name + ": not an object (expected: a JSON object)");
        }
        Set<String> unknown = new TreeSet<>(object.propertyNames());
        unknown.removeAll(fields);
        if (!unknown.isEmpty()) {
            throw RefusedException.invalid(name + ": unknown field " + String.join(", ", unknown) + " (expected: "
                    + String.join(", ", new TreeSet<>(fields)) + ")");
        }
    }

    /** Returns true or false, or the default if it is missing. */
    public static boolean flag(JsonNode body, String name, boolean otherwise) {
        JsonNode value = body.get(name);
        if (value == null || value.isNull()) {
            return otherwise;
        }
        if (!value.isBoolean()) {
            throw RefusedException.invalid(name + ": not a truth value (expected: true or false)");
        }
        return value.asBoolean();
    }

    /** Returns a text, or the default if it is missing. */
    public static String string(JsonNode body, String name, String otherwise) {
        JsonNode value = body.get(name);
        if (value == null || value.isNull()) {
            return otherwise;
        }
        if (!value.isString()) {
            throw RefusedException.invalid(name + ": not a text (expected: a text)");
        }
        return value.asString();
    }

    /** Returns a whole number, or the default if it is missing. */
    public static long number(JsonNode body, String name, long otherwise) {
        JsonNode value = body.get(name);
        if (value == null || value.isNull()) {
            return otherwise;
        }
        if (!value.isIntegralNumber() || !value.canConvertToLong() || value.asLong() < 0) {
            throw RefusedException.invalid(name + ": not a whole number (expected: 0 or more)");
        }
        return value.asLong();
    }
}
