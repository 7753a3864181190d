package io.sluice.node.api;

import com.fasterxml.jackson.core.JsonToken;
import io.sluice.rules.yaml.PrintableText;

/** The body of {@code POST /v1/release} and {@code /v1/renew}: {@code {"permit": "…"}}. */
final class PermitRequest {

    private PermitRequest() {}

    /** Returns the permit's text. Error messages do not show it, because any holder of the text can release the permit. */
    static String read(byte[] body) {
        return StrictJson.read(body, json -> {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                throw StrictJson.refused("body", StrictJson.shown(json), "a JSON object");
            }
            String permit = null;
            while (json.nextToken() != JsonToken.END_OBJECT) {
                String field = json.currentName();
                JsonToken value = json.nextToken();
                if (!field.equals("permit")) {
                    throw StrictJson.refused("unknown field", PrintableText.text(field), "permit");
                }
                if (value != JsonToken.VALUE_STRING) {
                    throw StrictJson.refused("permit", "not text", "the permit of a check's answer");
                }
                permit = json.getText();
            }
            if (permit == null) {
                throw StrictJson.refused("permit", "missing", "the permit of a check's answer");
            }
            return permit;
        });
    }
}
