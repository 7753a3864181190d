package io.sluice.node.api;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import io.sluice.rules.yaml.PrintableText;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reads JSON bodies strictly: UTF-8 only, no duplicate names, nothing after the end. The exception's message describes the error.
 */
final class StrictJson {

    /** Names come from callers, so they are not cached in tables that all requests share. */
    private static final JsonFactory JSON = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .build();

    private StrictJson() {}

    /** Reads one value, from before its first token up to its last. */
    @FunctionalInterface
    interface Reading<T> {
        T from(JsonParser json) throws IOException;
    }

    static <T> T read(byte[] body, Reading<T> reading) {
        try (JsonParser json = JSON.createParser(utf8(body))) {
            T value = reading.from(json);
            if (json.nextToken() != null) {
                throw refused("body", "text after its end", "one JSON object");
            }
            return value;
        } catch (CharacterCodingException e) {
            throw refused("body", "not UTF-8", "a JSON object in UTF-8");
        } catch (JsonProcessingException e) {
            throw refused("body", "not JSON, " + PrintableText.text(e.getOriginalMessage()), "a JSON object");
        } catch (IOException e) {
            throw refused("body", "unreadable", "a JSON object");
        }
    }

    /** Refuses a body that is not one JSON object, on behalf of readers that are less strict. */
    static void check(byte[] body) {
        read(body, json -> {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                throw refused("body", shown(json), "a JSON object");
            }
            return json.skipChildren();
        });
    }

    /** Returns the current token, for a message. */
    static String shown(JsonParser json) throws IOException {
        JsonToken token = json.currentToken();
        if (token == null) {
            return "empty";
        }
        return switch (token) {
            case START_OBJECT -> "an object";
            case START_ARRAY -> "an array";
            default -> PrintableText.text(text(json));
        };
    }

    static IllegalArgumentException refused(String name, String found, String expected) {
        return new IllegalArgumentException(name + ": " + found + " (expected: " + expected + ")");
    }

    /** Decodes strictly: Jackson would replace every bad byte with the same character, and different callers would share a key. */
    private static char[] utf8(byte[] body) throws CharacterCodingException {
        char[] ascii = new char[body.length];
        int bits = 0;
        for (int i = 0; i < body.length; i++) {
            bits |= body[i];
            ascii[i] = (char) body[i];
        }
        if (bits >= 0) {
            return ascii;
        }
        CharBuffer text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body));
        return Arrays.copyOf(text.array(), text.length());
    }

    private static String text(JsonParser json) throws IOException {
        @Nullable String text = json.getText();
        return text == null ? "nothing" : text;
    }
}
