package io.sluice.center.audit;

import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Closes segments of the log by deleting their rows. The first segment starts with row 1, and each later segment starts after the
 * end of the previous one. Every method runs within a transaction of the caller.
 */
public final class Segments {

    private Segments() {}

    /** Returns the number of the last deleted row; 0 if no row was deleted. */
    public static long end(JdbcClient client) {
        return client.sql("SELECT COALESCE(MAX(last_row), 0) FROM audit_segment")
                .query(Long.class)
                .single();
    }

    /**
     * Deletes the oldest rows up to a number, and keeps the root of the tree that ends with these rows. If two centers close the
     * same segment, one of them fails with a duplicate key and starts again.
     *
     * @throws IllegalStateException if some of these rows do not exist
     */
    public static AuditSegment close(JdbcClient client, long last, long at) {
        String root = AuditTree.root(client, last)
                .orElseThrow(() -> new IllegalStateException("audit log: row " + last + " was never written"));
        AuditSegment segment = new AuditSegment(end(client) + 1, last, root, at);
        client.sql("INSERT INTO audit_segment (first_row, last_row, root, at) VALUES (?, ?, ?, ?)")
                .params(segment.first(), segment.last(), segment.root(), segment.atMillis())
                .update();
        long deleted = client.sql("DELETE FROM command WHERE number >= ? AND number <= ?")
                .params(segment.first(), segment.last())
                .update();
        if (deleted != last - segment.first() + 1) {
            throw new IllegalStateException("audit log: " + deleted + " of the rows " + segment.first() + " to " + last
                    + " are there, so none is deleted");
        }
        return segment;
    }
}
