package io.sluice.http.field;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the body fields that rules name, {@code json.<name>} and {@code form.<name>}, from a request. Immutable. Never throws,
 * whatever the body.
 *
 * <p>JSON is read whatever the content type says, because many servers ignore the content type. {@code json.a.b} is {@code b}
 * in the object {@code a}, or a field with a dot in its name. Text, numbers and booleans have a value, and all spellings of a
 * number have the same value; null, arrays and objects have none. Form fields are read from
 * {@code application/x-www-form-urlencoded}. Names match in any case, as they do on some servers.
 *
 * <p>A body that is too large, or has another format, has no fields; the limit's {@code absent} option then applies. If servers
 * could read different values, the request is {@link Ambiguous}: for example if a field occurs twice, or if a JSON object is
 * malformed, which lenient servers read anyway.
 */
public final class BodyFields {

    /** The largest body that is read, in bytes. */
    public static final int LARGEST_BODY = 64 * 1024;

    private static final String JSON = "json.";
    private static final String FORM = "form.";

    private static final BodyFields NONE = new BodyFields(List.of(), List.of());

    private final JsonFields json;
    private final FormFields form;
    private final boolean empty;

    private BodyFields(List<String> json, List<String> form) {
        this.json = new JsonFields(json);
        this.form = new FormFields(form);
        this.empty = json.isEmpty() && form.isEmpty();
    }

    /** The result of reading a body. */
    public sealed interface Body {}

    /** The attributes that were found; may be empty. */
    public record Found(Map<String, String> attributes) implements Body {
        public Found {
            attributes = Map.copyOf(attributes);
        }
    }

    /**
     * Servers could read a field differently, so the request must be refused (400).
     *
     * @param message names the field, not its values
     */
    public record Ambiguous(String message) implements Body {}

    /** Returns a reader for the body fields among these attributes. */
    public static BodyFields of(Collection<String> attributes) {
        return attributes.isEmpty() ? NONE : new BodyFields(withPrefix(JSON, attributes), withPrefix(FORM, attributes));
    }

    /** Returns whether there is nothing to read, so that bodies need not be kept. */
    public boolean isEmpty() {
        return empty;
    }

    /**
     * Reads a body.
     *
     * @param contentType the header, or null if there is none
     * @param query the text after the {@code ?}, as it was sent, or null if there is none; servlets mix it with the form
     * @param body the whole body, or enough of it to show that it is larger than {@link #LARGEST_BODY}
     */
    public Body read(@Nullable String contentType, @Nullable String query, byte[] body) {
        if (empty || body.length > LARGEST_BODY) {
            return new Found(Map.of());
        }
        Map<String, String> found = new HashMap<>();
        String ambiguous = json.read(body, found);
        if (ambiguous == null) {
            ambiguous = form.read(MediaType.of(contentType), query == null ? "" : query, body, found);
        }
        return ambiguous == null ? new Found(found) : new Ambiguous(ambiguous);
    }

    private static List<String> withPrefix(String prefix, Collection<String> attributes) {
        return attributes.stream()
                .filter(name -> name.startsWith(prefix))
                .distinct()
                .toList();
    }
}
