package io.sluice.node.api;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.sluice.core.limit.Limit;
import io.sluice.http.field.QueryFields;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.yaml.PrintableText;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/**
 * The body of {@code POST /v1/check}. Unknown fields, duplicate fields and text after the end are refused.
 *
 * @param permits the number of permits to take; 0 only looks
 * @param reserve whether the caller will settle the real cost of the request
 */
record CheckRequest(Attributes attributes, long permits, boolean reserve) {

    private static final String PERMITS = "0.." + Limit.MAX_PERMITS;

    /**
     * Reads a body. The exception's message describes the error.
     *
     * @param rules determine which fields of the path's query become attributes
     */
    static CheckRequest read(byte[] body, RuleSet rules) {
        PlainCheck.Read plain = PlainCheck.read(body);
        return plain == null
                ? readStrictly(body, rules)
                : new CheckRequest(
                        Attributes.taking(QueryFields.of(rules.queryFields()).addedTo(plain.attributes())),
                        plain.permits(),
                        plain.reserve());
    }

    /** Reads any body. {@link PlainCheck} is only faster, and does not read every body. */
    static CheckRequest readStrictly(byte[] body, RuleSet rules) {
        return StrictJson.read(body, json -> {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                throw StrictJson.refused("body", StrictJson.shown(json), "a JSON object");
            }
            return read(json, rules);
        });
    }

    /** Reads the object whose start has been read. */
    static CheckRequest read(JsonParser json, RuleSet rules) throws IOException {
        Attributes attributes = null;
        long permits = 1;
        boolean reserve = false;
        while (json.nextToken() != JsonToken.END_OBJECT) {
            String field = json.currentName();
            json.nextToken();
            switch (field) {
                case "attributes" ->
                    attributes =
                            Attributes.of(QueryFields.of(rules.queryFields()).addedTo(attributes(json)));
                case "permits" -> permits = permits(json);
                case "reserve" -> reserve = reserve(json);
                default ->
                    throw StrictJson.refused(
                            "unknown field", PrintableText.text(field), "attributes, permits, reserve");
            }
        }
        if (attributes == null) {
            throw StrictJson.refused("attributes", "missing", "an object, {} for none");
        }
        return new CheckRequest(attributes, permits, reserve);
    }

    private static Map<String, String> attributes(JsonParser json) throws IOException {
        if (json.currentToken() != JsonToken.START_OBJECT) {
            throw StrictJson.refused("attributes", StrictJson.shown(json), "an object");
        }
        Map<String, String> attributes = new HashMap<>();
        while (json.nextToken() != JsonToken.END_OBJECT) {
            String name = json.currentName();
            JsonToken value = json.nextToken();
            if (value == JsonToken.START_OBJECT || value == JsonToken.START_ARRAY) {
                throw StrictJson.refused(
                        "attributes." + PrintableText.text(name),
                        StrictJson.shown(json),
                        "text, a number or a boolean");
            }
            // A null value counts as absent.
            if (value != JsonToken.VALUE_NULL) {
                attributes.put(name, json.getText());
            }
        }
        return attributes;
    }

    private static boolean reserve(JsonParser json) throws IOException {
        if (json.currentToken() != JsonToken.VALUE_TRUE && json.currentToken() != JsonToken.VALUE_FALSE) {
            throw StrictJson.refused("reserve", StrictJson.shown(json), "true or false");
        }
        return json.getBooleanValue();
    }

    private static long permits(JsonParser json) throws IOException {
        if (json.currentToken() != JsonToken.VALUE_NUMBER_INT) {
            throw StrictJson.refused("permits", StrictJson.shown(json), "a whole number, " + PERMITS);
        }
        String text = json.getText();
        long permits = text.length() > 18 ? -1 : Long.parseLong(text);
        if (permits < 0 || permits > Limit.MAX_PERMITS) {
            throw StrictJson.refused("permits", PrintableText.text(text), PERMITS);
        }
        return permits;
    }
}
