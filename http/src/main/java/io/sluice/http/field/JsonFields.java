package io.sluice.http.field;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Takes wanted fields out of JSON bodies. Immutable. */
final class JsonFields {

    static final String PREFIX = "json.";

    private final WantedFields wanted;

    public JsonFields(List<String> attributes) {
        this.wanted = new WantedFields(PREFIX, attributes);
    }

    /** Adds what is there, nothing if the body is no JSON object; returns what is wrong with a broken one, or a field that is there twice. */
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
            case BROKEN -> "json: broken (expected: JSON by RFC 8259, which all servers read alike)";
            case AMBIGUOUS -> scanner.ambiguous();
        };
    }
}
