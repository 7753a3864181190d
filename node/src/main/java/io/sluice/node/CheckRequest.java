package io.sluice.node;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import io.sluice.core.Limit;
import io.sluice.rules.Attributes;
import io.sluice.rules.yaml.Shown;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The body of {@code POST /v1/check}. Read strictly: nothing unknown, nothing twice, nothing after the end.
 *
 * @param permits 0 only looks
 */
record CheckRequest(Attributes attributes, long permits) {

    /** Names come from callers, so they are not kept in tables that all requests share. */
    private static final JsonFactory JSON = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .build();

    private static final String PERMITS = "0.." + Limit.MAX_PERMITS;

    /** Reads a body; the exception's message says what is wrong with it. */
    static CheckRequest read(byte[] body) {
        try (JsonParser json = JSON.createParser(utf8(body))) {
            return read(json);
        } catch (CharacterCodingException e) {
            throw refused("body", "not UTF-8", "a JSON object in UTF-8");
        } catch (JsonProcessingException e) {
            throw refused("body", "not JSON, " + Shown.text(e.getOriginalMessage()), "a JSON object");
        } catch (IOException e) {
            throw refused("body", "unreadable", "a JSON object");
        }
    }

    /** Strictly: Jackson would make one replacement character of every bad byte, and one key of different callers. */
    private static char[] utf8(byte[] body) throws CharacterCodingException {
        CharBuffer text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body));
        return Arrays.copyOf(text.array(), text.length());
    }

    private static CheckRequest read(JsonParser json) throws IOException {
        if (json.nextToken() != JsonToken.START_OBJECT) {
            throw refused("body", shown(json), "a JSON object");
        }
        Attributes attributes = null;
        long permits = 1;
        while (json.nextToken() != JsonToken.END_OBJECT) {
            String field = json.currentName();
            json.nextToken();
            switch (field) {
                case "attributes" -> attributes = Attributes.of(attributes(json));
                case "permits" -> permits = permits(json);
                default -> throw refused("unknown field", Shown.text(field), "attributes, permits");
            }
        }
        if (json.nextToken() != null) {
            throw refused("body", "more after its end", "one JSON object");
        }
        if (attributes == null) {
            throw refused("attributes", "missing", "an object, {} for none");
        }
        return new CheckRequest(attributes, permits);
    }

    private static Map<String, String> attributes(JsonParser json) throws IOException {
        if (json.currentToken() != JsonToken.START_OBJECT) {
            throw refused("attributes", shown(json), "an object");
        }
        Map<String, String> attributes = new HashMap<>();
        while (json.nextToken() != JsonToken.END_OBJECT) {
            String name = json.currentName();
            JsonToken value = json.nextToken();
            if (value == JsonToken.START_OBJECT || value == JsonToken.START_ARRAY) {
                throw refused("attributes." + Shown.text(name), shown(json), "text, a number or a boolean");
            }
            // What is null is not there.
            if (value != JsonToken.VALUE_NULL) {
                attributes.put(name, json.getText());
            }
        }
        return attributes;
    }

    private static long permits(JsonParser json) throws IOException {
        if (json.currentToken() != JsonToken.VALUE_NUMBER_INT) {
            throw refused("permits", shown(json), "a whole number, " + PERMITS);
        }
        String text = json.getText();
        long permits = text.length() > 18 ? -1 : Long.parseLong(text);
        if (permits < 0 || permits > Limit.MAX_PERMITS) {
            throw refused("permits", Shown.text(text), PERMITS);
        }
        return permits;
    }

    private static String shown(JsonParser json) throws IOException {
        JsonToken token = json.currentToken();
        if (token == null) {
            return "empty";
        }
        return switch (token) {
            case START_OBJECT -> "an object";
            case START_ARRAY -> "an array";
            default -> Shown.text(text(json));
        };
    }

    private static String text(JsonParser json) throws IOException {
        @Nullable String text = json.getText();
        return text == null ? "nothing" : text;
    }

    private static IllegalArgumentException refused(String name, String found, String expected) {
        return new IllegalArgumentException(name + ": " + found + " (expected: " + expected + ")");
    }
}
