package io.sluice.http.field;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads the body fields that rules name, {@code json.<name>} and {@code form.<name>}, from a request. Immutable. Never throws, for any
 * body.
 *
 * <p>JSON is read with any content type, because many servers ignore the content type. {@code json.a.b} is {@code b} in the object {@code
 * a}, or a field with a dot in its name. Text, numbers and booleans have a value, and all spellings of a number have the same value; null,
 * arrays and objects have none. Form fields are read from {@code application/x-www-form-urlencoded}. Names match in any case, as they do on
 * some servers.
 *
 * <p>A body in another format has no fields; the limit's {@code absent} option then applies. A body that is too long, compressed or
 * malformed may have fields that could not be read. It is {@link Unread} if a required field may be among them; otherwise it has no fields.
 * If servers could read different values, the request is {@link Ambiguous}: for example if a field occurs twice, or if a JSON object is
 * malformed but lenient servers read it anyway.
 */
public final class BodyFields {

    /** The maximum size of a body that is read, in bytes. */
    public static final int LARGEST_BODY = 64 * 1024;

    private static final String JSON = "json.";
    private static final String FORM = "form.";

    private static final int TOO_LONG = 413;
    private static final int UNSUPPORTED = 415;
    private static final int MALFORMED = 400;

    private static final BodyFields NONE = new BodyFields(List.of(), List.of(), Set.of());

    private final JsonFields json;
    private final FormFields form;
    private final Set<String> required;
    private final boolean empty;

    private BodyFields(List<String> json, List<String> form, Set<String> required) {
        this.json = new JsonFields(json);
        this.form = new FormFields(form);
        this.required = Set.copyOf(required);
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
     * @param message the message, which names the field but not its values
     */
    public record Ambiguous(String message) implements Body {}

    /**
     * A required field could not be read, so the request must be refused.
     *
     * @param status the status: 413 for a body that is too long, 415 for an unsupported format, 400 for a malformed body
     */
    public record Unread(int status, String message) implements Body {}

    /** Returns a reader for the body fields among these attributes. None of them is required. */
    public static BodyFields of(Collection<String> attributes) {
        return of(attributes, Set.of());
    }

    /**
     * Returns a reader for the body fields among these attributes.
     *
     * @param required the attributes that must be readable if the body has them
     */
    public static BodyFields of(Collection<String> attributes, Set<String> required) {
        return attributes.isEmpty()
                ? NONE
                : new BodyFields(withPrefix(JSON, attributes), withPrefix(FORM, attributes), required);
    }

    /** Returns whether there are no fields to read, so that bodies need not be kept. */
    public boolean isEmpty() {
        return empty;
    }

    /**
     * Returns the reason why the fields of a body cannot be read, from its headers alone, or null if they can be read or if none is
     * required.
     *
     * <p>The headers, not the content, determine whether a body is compressed, because a caller can craft a text that is a JSON object and
     * also unpacks to another.
     *
     * @param contentType the header, or null if there is none
     * @param contentEncoding the lines of the header
     * @param contentLength the header, or null if there is none
     */
    public @Nullable Unread unread(
            @Nullable String contentType, List<String> contentEncoding, @Nullable String contentLength) {
        MediaType type = MediaType.of(contentType);
        if (requires(FORM) && type.isMultipart()) {
            return new Unread(UNSUPPORTED, "body: multipart" + needed("application/x-www-form-urlencoded"));
        }
        if (!mayHaveRequired(type)) {
            return null;
        }
        if (isCompressed(contentEncoding)) {
            return new Unread(UNSUPPORTED, "content-encoding: a compressed body" + needed("an uncompressed one"));
        }
        return isTooLong(contentLength) ? tooLong() : null;
    }

    /** Returns whether a body is declared to be too long to read. */
    public static boolean isTooLong(@Nullable String contentLength) {
        try {
            return contentLength != null && Long.parseLong(contentLength) > LARGEST_BODY;
        } catch (NumberFormatException e) {
            return false;
        }
    }

    /**
     * Reads a body.
     *
     * @param contentType the header, or null if there is none
     * @param query the text after the {@code ?}, as it was sent, or null if there is none; servlets mix it with the form
     * @param body the whole body, or enough of it to show that it is larger than {@link #LARGEST_BODY}
     */
    public Body read(@Nullable String contentType, @Nullable String query, byte[] body) {
        MediaType type = MediaType.of(contentType);
        if (empty || body.length > LARGEST_BODY) {
            return !empty && mayHaveRequired(type) ? tooLong() : new Found(Map.of());
        }
        Map<String, String> found = new HashMap<>();
        Map<String, String> unread = new HashMap<>();
        String ambiguous = json.read(type, body, found, unread);
        if (ambiguous == null) {
            ambiguous = form.read(type, query == null ? "" : query, body, found);
        }
        if (ambiguous != null) {
            return new Ambiguous(ambiguous);
        }
        for (Map.Entry<String, String> field : unread.entrySet()) {
            if (required.contains(field.getKey())) {
                return new Unread(MALFORMED, field.getValue());
            }
        }
        return new Found(found);
    }

    /** Returns whether a body may have required fields. JSON may have any content type; a form has its own content type. */
    private boolean mayHaveRequired(MediaType type) {
        return requires(JSON) || (requires(FORM) && type.isForm());
    }

    private boolean requires(String prefix) {
        return required.stream().anyMatch(name -> name.startsWith(prefix));
    }

    private static Unread tooLong() {
        return new Unread(TOO_LONG, "body: too long" + needed("at most " + LARGEST_BODY + " bytes"));
    }

    private static String needed(String expected) {
        return " (expected: " + expected + ", because a limit needs its fields)";
    }

    /**
     * Returns whether a body is compressed and therefore has no readable fields.
     *
     * @param lines the lines of the {@code Content-Encoding} header
     */
    public static boolean isCompressed(List<String> lines) {
        for (String line : lines) {
            for (String coding : line.split(",", -1)) {
                String name = coding.strip().toLowerCase(Locale.ROOT);
                if (!name.isEmpty() && !name.equals("identity")) {
                    return true;
                }
            }
        }
        return false;
    }

    private static List<String> withPrefix(String prefix, Collection<String> attributes) {
        return attributes.stream()
                .filter(name -> name.startsWith(prefix))
                .distinct()
                .toList();
    }
}
