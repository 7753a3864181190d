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
 * Rows without their content that wait for the later row which tells that it erased them. Not thread-safe.
 *
 * <p>Otherwise anybody could hide what was done, and call it an erasure. A key of the log has to sign the later row, because anybody
 * with access to the database can append one.
 */
final class ErasedRows {

    /** The kinds of rows that erase others. */
    static final Set<String> KINDS = Set.of("erase_subject", "erase_again");

    /** The field in the body of such a row that lists the numbers of the rows that it erased. */
    static final String FIELD = "rows";

    /** The field that has the number of the erasure. */
    static final String ERASURE = "erasure";

    private static final JsonMapper JSON = JsonMapper.shared();

    /** The rows by the one that they say erased them. */
    private final Map<Long, TreeSet<Long>> waiting = new TreeMap<>();

    /** Takes a row that has no content. Returns whether it may be one. */
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

    /** Looks whether a row, which is good, tells that it erased others, and whether a key of the log signed that. */
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
            // Then it lists nothing.
            return;
        }
        if (rows.isEmpty()) {
            waiting.remove(row.row().number());
        }
    }

    /** Returns the first row that no other row tells to have erased. */
    OptionalLong first() {
        return waiting.values().stream().mapToLong(TreeSet::first).min();
    }
}
