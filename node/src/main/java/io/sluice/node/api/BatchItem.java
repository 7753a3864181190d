package io.sluice.node.api;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.core.JsonToken;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.yaml.PrintableText;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One of the checks in the body of {@code POST /v1/check/batch}.
 *
 * @param check null if the check is invalid
 * @param refused why the check is invalid; empty if it is valid
 */
record BatchItem(@Nullable CheckRequest check, String refused) {

    /** The maximum number of checks in a batch. */
    static final int MOST = 100;

    /** Reads a body. An invalid check affects only its own item; the exception reports errors in the body as a whole. */
    static List<BatchItem> readAll(byte[] body, RuleSet rules) {
        return StrictJson.read(body, json -> {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                throw StrictJson.refused("body", StrictJson.shown(json), "a JSON object");
            }
            List<BatchItem> items = null;
            while (json.nextToken() != JsonToken.END_OBJECT) {
                String field = json.currentName();
                JsonToken value = json.nextToken();
                if (!field.equals("checks")) {
                    throw StrictJson.refused("unknown field", PrintableText.text(field), "checks");
                }
                if (value != JsonToken.START_ARRAY) {
                    throw StrictJson.refused("checks", StrictJson.shown(json), "a list");
                }
                items = items(json, rules);
            }
            if (items == null) {
                throw StrictJson.refused("checks", "missing", "a list of checks");
            }
            return items;
        });
    }

    private static List<BatchItem> items(JsonParser json, RuleSet rules) throws IOException {
        List<BatchItem> items = new ArrayList<>();
        JsonStreamContext list = json.getParsingContext();
        while (json.nextToken() != JsonToken.END_ARRAY) {
            if (items.size() == MOST) {
                throw StrictJson.refused("checks", "more than " + MOST, "1.." + MOST);
            }
            items.add(item(json, rules));
            // Skips the rest of a check that was refused before its end.
            while (json.getParsingContext() != list) {
                json.nextToken();
            }
        }
        if (items.isEmpty()) {
            throw StrictJson.refused("checks", "none", "1.." + MOST);
        }
        return items;
    }

    private static BatchItem item(JsonParser json, RuleSet rules) throws IOException {
        try {
            if (json.currentToken() != JsonToken.START_OBJECT) {
                throw StrictJson.refused("check", StrictJson.shown(json), "a JSON object");
            }
            return new BatchItem(CheckRequest.read(json, rules), "");
        } catch (IllegalArgumentException e) {
            return new BatchItem(null, String.valueOf(e.getMessage()));
        }
    }
}
