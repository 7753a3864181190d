package io.sluice.http.field;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads wanted fields from JSON bodies. Immutable. */
final class JsonFields {

    static final String PREFIX = "json.";

    private static final String MALFORMED = "json: malformed (expected: valid JSON by RFC 8259)";
    private static final String NUMBER = ": a number that servers read differently (expected: a whole number up to"
            + " 9007199254740991, at most 15 digits with a fraction, or text)";

    private final WantedFields wanted;

    public JsonFields(List<String> attributes) {
        this.wanted = new WantedFields(PREFIX, attributes);
    }

    /**
     * Adds the fields that are present; adds none if the body is not a JSON object. Returns an error if the object is malformed
     * or a wanted field occurs twice.
     *
     * @param unread the map to which attributes that could not be read are added, with the reason
     */
    public @Nullable String read(MediaType type, byte[] body, Map<String, String> found, Map<String, String> unread) {
        if (wanted.isEmpty() || body.length == 0) {
            return null;
        }
        JsonScanner scanner = new JsonScanner(JsonText.of(body), wanted);
        return switch (scanner.scan()) {
            case FOUND -> {
                found.putAll(scanner.found());
                scanner.unread().forEach(name -> unread.put(name, name + NUMBER));
                yield null;
            }
            case NONE -> {
                if (type.isJson()) {
                    wanted.attributes().forEach(name -> unread.put(name, MALFORMED));
                }
                yield null;
            }
            case OTHER -> null;
            case BROKEN -> MALFORMED;
            case AMBIGUOUS -> scanner.ambiguous();
        };
    }
}
