package io.sluice.center.audit;

import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Rows without content that wait for a later row which records their erasure. Not thread-safe.
 *
 * <p>Without this check, a person with access to the database could remove the content of a row and call it an erasure. They
 * could also append a row that records it, so a key of the log has to sign that row.
 */
final class ErasedRows {

    /** The kinds of rows that record an erasure. */
    static final Set<String> KINDS = Set.of("erase_subject", "erase_again");

    /** The field in the body of such a row that lists the numbers of the erased rows. */
    static final String FIELD = "rows";

    /** The field that contains the number of the erasure. */
    static final String ERASURE = "erasure";

    private static final JsonMapper JSON = JsonMapper.shared();

    /** The erased rows by the number of the row that they name as the record of their erasure. */
    private final Map<Long, TreeSet<Long>> waiting = new TreeMap<>();

    /** Adds a row without content. Returns false if the row has content left or names no later row as the record of its erasure. */
    boolean add(LoggedRow row) {
        boolean isEmpty = row.salt().isEmpty()
                && row.origin().isEmpty()
                && row.reason().isEmpty()
                && (row.body().isEmpty() || row.body().equals("{}"));
        if (!isEmpty || row.erasedBy() <= row.row().number()) {
            return false;
        }
        waiting.computeIfAbsent(row.erasedBy(), number -> new TreeSet<>())
                .add(row.row().number());
        return true;
    }

    /** Checks whether a good row lists erased rows under the signature of a key of the log, and stops waiting for these rows. */
    void look(LoggedRow row, String log, KeyHistory keys) {
        TreeSet<Long> rows = waiting.get(row.row().number());
        if (rows == null || row.isErased() || !KINDS.contains(row.row().kind())) {
            return;
        }
        try {
            JsonNode body = JSON.readTree(row.body());
            Set<Long> listed = new TreeSet<>();
            body.path(FIELD).forEach(number -> listed.add(number.asLong(0)));
            if (keys.sealed(body, AuditSeal.erased(log, body.path(ERASURE).asLong(0), listed))) {
                rows.removeAll(listed);
            }
        } catch (JacksonException e) {
            // An unreadable row lists no erased rows.
            return;
        }
        if (rows.isEmpty()) {
            waiting.remove(row.row().number());
        }
    }

    /** Returns the first row whose erasure no other row records. */
    OptionalLong first() {
        return waiting.values().stream().mapToLong(TreeSet::first).min();
    }
}
