package io.sluice.center.audit;

import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Closes segments of the log, whose rows are deleted. The first begins with row 1, and each begins after the end of the one before.
 * Always within a transaction of the caller.
 */
public final class Segments {

    private Segments() {}

    /** Returns the number of the last row that was deleted; 0 if none was. */
    public static long end(JdbcClient client) {
        return client.sql("SELECT COALESCE(MAX(last_row), 0) FROM audit_segment")
                .query(Long.class)
                .single();
    }

    /**
     * Deletes the oldest rows up to a number, and keeps the root of the tree that ends with them. Of two centers that close the same
     * segment, one fails with a duplicate key and begins again.
     *
     * @throws IllegalStateException if some of these rows are not there
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
