package io.sluice.center.web;

import io.sluice.center.command.RefusedException;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.TreeSet;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The body of a request, read strictly: UTF-8, bounded, no field twice, no unknown field. */
final class RequestBody {

    /** A document of 200,000 rules fits. */
    static final int MOST_BYTES = 64 * 1024 * 1024;

    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private RequestBody() {}

    /** The body is longer than allowed. */
    static final class TooLargeException extends RuntimeException {

        private static final long serialVersionUID = 1;

        TooLargeException() {
            super("body: more than " + MOST_BYTES + " bytes (expected: at most that many)");
        }
    }

    static String text(HttpServletRequest request) {
        try {
            byte[] bytes = request.getInputStream().readNBytes(MOST_BYTES + 1);
            if (bytes.length > MOST_BYTES) {
                throw new TooLargeException();
            }
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw RefusedException.invalid("body: not UTF-8 (expected: UTF-8)");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the body as an object that has no other fields than these. */
    static JsonNode object(HttpServletRequest request, Set<String> fields) {
        return object(text(request), fields);
    }

    static JsonNode object(String text, Set<String> fields) {
        JsonNode body;
        try {
            body = JSON.readTree(text.isBlank() ? "{}" : text);
        } catch (JacksonException e) {
            throw RefusedException.invalid("body: not JSON: " + e.getOriginalMessage() + " (expected: a JSON object)");
        }
        requireFields("body", body, fields);
        return body;
    }

    /** Requires an object that has no other fields than these. */
    static void requireFields(String name, JsonNode object, Set<String> fields) {
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
    static boolean flag(JsonNode body, String name, boolean otherwise) {
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
    static String string(JsonNode body, String name, String otherwise) {
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
    static long number(JsonNode body, String name, long otherwise) {
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
