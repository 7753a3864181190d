package io.sluice.http.field;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads the attributes {@code query.<name>} that rules name out of a path that carries a query. Immutable.
 *
 * <p>Names match in any case, as they do for some servers; values are percent-decoded once. Where servers would take different values
 * (a name that is there twice, {@code a[]} beside {@code a}, a {@code ;} between pairs) the request is refused, if a rule in
 * force names the attribute: to pick one would be to limit another caller than the one that is served. Other names may be there as
 * often as they like.
 */
public final class QueryFields {

    /** Rules that name no query. */
    public static final QueryFields NONE = new QueryFields(List.of());

    private static final String PREFIX = "query.";
    private static final String PATH = "path";

    private final FormFields fields;
    private final boolean empty;

    private QueryFields(List<String> attributes) {
        this.fields = FormFields.ofQuery(attributes);
        this.empty = attributes.isEmpty();
    }

    /** A reader of those of these attributes that are of the query. */
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
     * The given attributes and those of the query of their {@code path}; one that was given itself wins.
     *
     * @throws IllegalArgumentException if servers would differ about one of them, or one is not text in UTF-8; the message names it, not its values
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

    /** Whether there is nothing to read. */
    public boolean isEmpty() {
        return empty;
    }

    /**
     * Adds the attributes of a query.
     *
     * @param query what follows the {@code ?}, as it was sent
     * @throws IllegalArgumentException as with {@link #addedTo}
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
