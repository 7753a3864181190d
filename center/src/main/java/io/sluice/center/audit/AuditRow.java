package io.sluice.center.audit;

import io.sluice.runtime.witness.TreeHash;
import java.nio.charset.StandardCharsets;

/**
 * The hashed fields of a row of the log. Immutable.
 *
 * @param at the time in milliseconds since the epoch
 * @param outcome {@code done} or {@code refused}
 * @param commitment the hash of salt, origin, reason and body
 */
public record AuditRow(
        long number, long at, String actor, String kind, long expected, String outcome, String commitment) {

    /** The outcome of an action that was carried out. */
    public static final String DONE = "done";

    /** The outcome of an action that was refused. */
    public static final String REFUSED = "refused";

    /** Returns the commitment to origin, reason and body. They cannot be guessed from it without the salt. */
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

    /** Prefixes each part with its length in bytes, so that different lists of parts never produce the same text. */
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
