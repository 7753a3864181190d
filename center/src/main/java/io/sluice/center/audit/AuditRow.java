package io.sluice.center.audit;

import io.sluice.runtime.witness.TreeHash;
import java.nio.charset.StandardCharsets;

/**
 * A row of the log, as it is hashed. Immutable.
 *
 * @param at milliseconds since the epoch
 * @param outcome {@code done} or {@code refused}
 * @param commitment the hash of salt, origin, reason and body
 */
public record AuditRow(
        long number, long at, String actor, String kind, long expected, String outcome, String commitment) {

    /** The outcome of what was done. */
    public static final String DONE = "done";

    /** The outcome of what was refused. */
    public static final String REFUSED = "refused";

    /** Returns the commitment to origin, reason and body. Without the salt nobody can guess them from it. */
    public static String commitment(String salt, String origin, String reason, String body) {
        return TreeHash.leaf(joined("sluice-content-1", salt, origin, reason, body));
    }

    /** Returns the hash of this row as a leaf of the tree. */
    public String hash() {
        return TreeHash.leaf(joined(
                "sluice-row-1",
                Long.toString(number),
                Long.toString(at),
                actor,
                kind,
                Long.toString(expected),
                outcome,
                commitment));
    }

    /** Each part has its length in bytes in front, so that no two lists of parts have the same text. */
    private static String joined(String... parts) {
        StringBuilder text = new StringBuilder();
        for (String part : parts) {
            text.append(part.getBytes(StandardCharsets.UTF_8).length)
                    .append(':')
                    .append(part);
        }
        return text.toString();
    }
}
