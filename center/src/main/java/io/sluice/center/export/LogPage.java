package io.sluice.center.export;

import io.sluice.center.audit.LoggedRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * The next part of the log: rows, or the leaves of rows that were deleted because of their age. Its size is bounded, regardless of the
 * content of the log.
 *
 * @param rows the rows in their order
 * @param leaves the hashes of deleted rows, starting with the requested row; empty if there are rows
 * @param segment the segment of these leaves
 */
public record LogPage(List<LoggedRow> rows, List<String> leaves, Optional<Segment> segment) {

    private static final int MOST_ROWS = 1_000;
    private static final int MOST_LEAVES = 1_000;
    private static final long MOST_CHARACTERS = 4_000_000;

    /**
     * Rows that were deleted because of their age.
     *
     * @param root the root of the tree that ends with the last row
     * @param at the time of their deletion, in milliseconds since the epoch
     */
    public record Segment(long first, long last, String root, long at) {}

    public LogPage {
        rows = List.copyOf(rows);
        leaves = List.copyOf(leaves);
    }

    /** Returns whether the log has no more content. */
    public boolean isEmpty() {
        return rows.isEmpty() && leaves.isEmpty();
    }

    /** Reads the page that starts with a row. */
    public static LogPage from(JdbcClient client, long number) {
        List<LoggedRow> rows = LoggedRow.above(client, number - 1, count(client, number));
        if (!rows.isEmpty() && rows.get(0).row().number() == number) {
            return new LogPage(rows, List.of(), Optional.empty());
        }
        Optional<Segment> segment = segment(client, number);
        if (segment.isEmpty()) {
            // A row is missing. The verifier reports this.
            return new LogPage(rows, List.of(), Optional.empty());
        }
        long last = segment.get().last();
        List<String> leaves = client.sql(
                        "SELECT hash FROM audit_node WHERE depth = 0 AND place >= ? AND place < ? ORDER BY place")
                .params(number - 1, Math.min(last, number - 1 + MOST_LEAVES))
                .query(String.class)
                .list();
        return leaves.isEmpty()
                ? new LogPage(rows, List.of(), Optional.empty())
                : new LogPage(List.of(), leaves, segment);
    }

    /** Returns the number of rows that may be held in memory together; at least one. */
    private static int count(JdbcClient client, long number) {
        List<Long> lengths = new ArrayList<>(client.sql("SELECT LENGTH(reason) + LENGTH(body) FROM command"
                        + " WHERE number >= ? ORDER BY number LIMIT " + MOST_ROWS)
                .param(number)
                .query(Long.class)
                .list());
        long characters = 0;
        int count = 0;
        while (count < lengths.size() && (count == 0 || characters + lengths.get(count) <= MOST_CHARACTERS)) {
            characters += lengths.get(count++);
        }
        return Math.max(1, count);
    }

    private static Optional<Segment> segment(JdbcClient client, long number) {
        return client
                .sql("SELECT first_row, last_row, root, at FROM audit_segment"
                        + " WHERE first_row <= ? AND last_row >= ?")
                .params(number, number)
                .query((row, index) -> new Segment(row.getLong(1), row.getLong(2), row.getString(3), row.getLong(4)))
                .list()
                .stream()
                .findFirst();
    }
}
