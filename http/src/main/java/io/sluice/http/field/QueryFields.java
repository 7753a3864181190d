package io.sluice.http.field;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads the attributes {@code query.<name>} that rules name from the query of a path. Immutable.
 *
 * <p>Names match in any case, as they do on some servers; values are percent-decoded once. If servers could read different
 * values (a name occurs twice, {@code a[]} occurs beside {@code a}, or a {@code ;} separates pairs), the request is refused if
 * a rule in force names the attribute. Choosing one value could limit another caller than the served caller. Other names may
 * occur any number of times.
 */
public final class QueryFields {

    /** The reader for rules that name no query attribute. */
    public static final QueryFields NONE = new QueryFields(List.of());

    private static final String PREFIX = "query.";
    private static final String PATH = "path";

    private final FormFields fields;
    private final boolean empty;

    private QueryFields(List<String> attributes) {
        this.fields = FormFields.ofQuery(attributes);
        this.empty = attributes.isEmpty();
    }

    /** Returns a reader for the query attributes among these. */
    public static QueryFields of(Collection<String> attributes) {
        if (attributes.isEmpty()) {
            return NONE;
        }
        List<String> own = attributes.stream()
                .filter(name -> name.startsWith(PREFIX) && name.length() > PREFIX.length())
                .distinct()
                .toList();
        return own.isEmpty() ? NONE : new QueryFields(own);
    }

    /**
     * Returns the given attributes plus those from the query of their {@code path}. A given attribute takes precedence.
     *
     * @throws IllegalArgumentException if servers could read an attribute differently, or if it is not UTF-8 text; the message
     *     names the attribute, not its values
     */
    public Map<String, String> addedTo(Map<String, String> given) {
        String query = empty ? "" : query(given.getOrDefault(PATH, ""));
        if (query.isEmpty()) {
            return given;
        }
        Map<String, String> all = new HashMap<>();
        String ambiguous = fields.readQuery(query, all);
        if (ambiguous != null) {
            throw new IllegalArgumentException(ambiguous);
        }
        all.putAll(given);
        return all;
    }

    /** Returns whether there are no attributes to read. */
    public boolean isEmpty() {
        return empty;
    }

    /**
     * Adds the attributes of a query.
     *
     * @param query the text after the {@code ?}, as it was sent
     * @throws IllegalArgumentException as in {@link #addedTo}
     */
    public void addTo(Map<String, String> attributes, String query) {
        String ambiguous = empty || query.isEmpty() ? null : fields.readQuery(query, attributes);
        if (ambiguous != null) {
            throw new IllegalArgumentException(ambiguous);
        }
    }

    private static String query(String path) {
        int fragment = path.indexOf('#');
        String target = fragment < 0 ? path : path.substring(0, fragment);
        return target.substring(target.indexOf('?') < 0 ? target.length() : target.indexOf('?') + 1);
    }
}
