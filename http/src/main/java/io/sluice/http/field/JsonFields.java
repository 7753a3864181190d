package io.sluice.http.field;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads wanted fields from JSON bodies. Immutable. */
final class JsonFields {

    static final String PREFIX = "json.";

    private final WantedFields wanted;

    public JsonFields(List<String> attributes) {
        this.wanted = new WantedFields(PREFIX, attributes);
    }

    /**
     * Adds the fields that are present, none if the body is not a JSON object. Returns an error if the object is malformed or a
     * wanted field occurs twice.
     */
    public @Nullable String read(byte[] body, Map<String, String> found) {
        if (wanted.isEmpty() || body.length == 0) {
            return null;
        }
        JsonScanner scanner = new JsonScanner(JsonText.of(body), wanted);
        return switch (scanner.scan()) {
            case FOUND -> {
                found.putAll(scanner.found());
                yield null;
            }
            case NONE -> null;
            case BROKEN -> "json: malformed (expected: valid JSON by RFC 8259)";
            case AMBIGUOUS -> scanner.ambiguous();
        };
    }
}
