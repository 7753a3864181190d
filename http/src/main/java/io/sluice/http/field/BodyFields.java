package io.sluice.http.field;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the body fields that rules name, {@code json.<name>} and {@code form.<name>}, out of a request. Immutable; never
 * throws, whatever the body.
 *
 * <p>JSON is looked for whatever the content type says, since many servers do not ask; {@code json.a.b} is {@code b} in the
 * object {@code a}, or a field with a dot in its name. Text, numbers and booleans have a value, and a number only one,
 * however it is written; null, arrays and objects have none. Form fields are read from
 * {@code application/x-www-form-urlencoded}. Names match in any case, as they do for some servers.
 *
 * <p>A body that is too large, or is something else, has no fields: what then counts is the limit's {@code absent}. Where
 * different servers would take different values (a field that is there twice, a JSON object that is broken, which lenient servers
 * read all the same), the request is {@link Ambiguous}.
 */
public final class BodyFields {

    /** Bodies of more bytes are not looked into. */
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

    /** What a body says. */
    public sealed interface Body {}

    /** The attributes that are in it, none perhaps. */
    public record Found(Map<String, String> attributes) implements Body {
        public Found {
            attributes = Map.copyOf(attributes);
        }
    }

    /**
     * Servers would not agree on a field, so the request is to be refused (400).
     *
     * @param message names the field, not its values
     */
    public record Ambiguous(String message) implements Body {}

    /** A reader of those of these attributes that are body fields. */
    public static BodyFields of(Collection<String> attributes) {
        return attributes.isEmpty() ? NONE : new BodyFields(withPrefix(JSON, attributes), withPrefix(FORM, attributes));
    }

    /** Whether there is nothing to read, so that bodies need not be kept. */
    public boolean isEmpty() {
        return empty;
    }

    /**
     * Reads a body.
     *
     * @param contentType the header; null if there is none
     * @param query what follows the {@code ?}, as it was sent; null if there is none. Servlets mix it with the form
     * @param body all of it, or so much that it is seen to be larger than {@link #LARGEST_BODY}
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
