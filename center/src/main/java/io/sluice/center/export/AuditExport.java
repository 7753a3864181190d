package io.sluice.center.export;

import io.sluice.center.audit.AuditHead;
import io.sluice.center.audit.AuditTree;
import io.sluice.center.audit.LoggedRow;
import io.sluice.center.database.Database;
import io.sluice.core.time.Clock;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Writes the whole log. It reads small pages, so that a slow reader occupies neither memory nor the database. Thread-safe.
 *
 * <p>The log may change during an export. An export ends with the row that was the newest at its start. If rows were deleted or erased
 * during the export, the export fails, because the row that explains it comes after the end of the export. The next export succeeds.
 */
public final class AuditExport {

    /** The format version of the files. */
    static final int FORMAT = 1;

    static final String KIND = "audit";

    private static final JsonMapper JSON = JsonMapper.shared();
    private static final int CHECKPOINTS_AT_ONCE = 1_000;
    private static final List<String> COLUMNS = List.of(
            "number", "at", "actor", "from", "kind", "outcome", "expected", "reason", "details", "erased_by", "hash");

    private final Database database;
    private final Clock clock;

    public AuditExport(Database database, Clock clock) {
        this.database = database;
        this.clock = clock;
    }

    /**
     * The log at the start of the export.
     *
     * @param highest the highest number that was ever given to a row
     * @param last the last row of the table. Only a forged row has a number above the head
     */
    private record Beginning(String log, AuditHead head, long highest, long last, List<ObjectNode> keys) {

        static Beginning of(JdbcClient client) {
            return new Beginning(
                    client.sql("SELECT log FROM audit_head WHERE name = 'command'")
                            .query(String.class)
                            .single(),
                    AuditTree.head(client),
                    client.sql("SELECT value FROM counter WHERE name = 'command'")
                            .query(Long.class)
                            .single(),
                    client.sql("SELECT COALESCE(MAX(number), 0) FROM command")
                            .query(Long.class)
                            .single(),
                    client.sql("SELECT public_key, before_id, signature, at FROM audit_key ORDER BY number")
                            .query((row, index) -> JSON.createObjectNode()
                                    .put("key", row.getString(1))
                                    .put("before", row.getString(2))
                                    .put("signature", row.getString(3))
                                    .put("at", row.getLong(4)))
                            .list());
        }

        long end() {
            return Math.max(head.number(), last);
        }
    }

    /** A writer for the parts of the log. */
    private interface Sheet {

        void begin(Beginning log) throws IOException;

        void row(LoggedRow row) throws IOException;

        /**
         * Rows that were deleted because of their age.
         *
         * @param first the number of the first leaf
         */
        void deleted(long first, LogPage page) throws IOException;

        void end(long rows, long end) throws IOException;
    }

    /** Reads the start of the log, so that an unavailable database is noticed before anything is written. */
    Job job(ExportFormat format) {
        return new Job(format, database.read(Beginning::of));
    }

    /** A prepared export. */
    final class Job {

        private final ExportFormat format;
        private final Beginning beginning;

        private Job(ExportFormat format, Beginning beginning) {
            this.format = format;
            this.beginning = beginning;
        }

        void write(OutputStream out) throws IOException {
            Writer text = new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8));
            write(format == ExportFormat.CSV ? new Table(text) : new Lines(text));
            text.flush();
        }

        private void write(Sheet sheet) throws IOException {
            sheet.begin(beginning);
            long end = beginning.end();
            long rows = writeForged(sheet);
            long next = 1;
            while (next <= end) {
                long from = next;
                LogPage page = database.read(client -> LogPage.from(client, from));
                if (page.isEmpty()) {
                    break;
                }
                if (!page.leaves().isEmpty()) {
                    sheet.deleted(next, page);
                    next += page.leaves().size();
                }
                for (LoggedRow row : page.rows()) {
                    next = row.row().number() + 1;
                    if (next - 1 > end) {
                        break;
                    }
                    if (row.erasedBy() > end) {
                        throw new IOException("the content of rows was erased in the meantime");
                    }
                    sheet.row(row);
                    rows++;
                }
            }
            sheet.end(rows, end);
        }

        /**
         * Writes forged rows. The first row is 1, and only a forged row has a lower number, which the verifier reports. Returns the number
         * of these rows.
         */
        private long writeForged(Sheet sheet) throws IOException {
            long rows = 0;
            long last = Long.MIN_VALUE;
            while (last < 0) {
                long above = last;
                List<LoggedRow> some = database.read(client -> LoggedRow.above(client, above, 1));
                if (some.isEmpty() || some.get(0).row().number() > 0) {
                    break;
                }
                last = some.get(0).row().number();
                sheet.row(some.get(0));
                rows++;
            }
            return rows;
        }
    }

    /** Writes JSON lines. */
    private final class Lines implements Sheet {

        private final Writer out;
        private LogPage.@Nullable Segment current;

        Lines(Writer out) {
            this.out = out;
        }

        @Override
        public void begin(Beginning log) throws IOException {
            ObjectNode header = JSON.createObjectNode()
                    .put("sluice", KIND)
                    .put("format", FORMAT)
                    .put("log", log.log())
                    .put("at", clock.epochMicros() / 1000);
            header.putObject("head")
                    .put("size", log.head().number())
                    .put("root", log.head().hash());
            header.put("highest", log.highest());
            header.putArray("keys").addAll(log.keys());
            line(header);
            List<ObjectNode> some;
            long above = -1;
            do {
                long from = above;
                some = database.read(client -> checkpoints(client, from, log.end()));
                for (ObjectNode checkpoint : some) {
                    above = checkpoint.get("size").asLong();
                    ObjectNode json = JSON.createObjectNode();
                    json.set("checkpoint", checkpoint.put("log", log.log()));
                    line(json);
                }
            } while (some.size() == CHECKPOINTS_AT_ONCE);
        }

        @Override
        public void row(LoggedRow row) throws IOException {
            line(RowJson.whole(row));
        }

        @Override
        public void deleted(long first, LogPage page) throws IOException {
            LogPage.Segment segment = page.segment().orElseThrow();
            if (segment.first() == first) {
                ObjectNode json = JSON.createObjectNode();
                json.putObject("segment")
                        .put("first", segment.first())
                        .put("last", segment.last())
                        .put("root", segment.root())
                        .put("at", segment.at());
                line(json);
            } else if (!segment.equals(current)) {
                throw new IOException("rows were deleted because of their age in the meantime");
            }
            current = segment;
            ObjectNode leaves = JSON.createObjectNode().put("leaves", first);
            page.leaves().forEach(leaves.putArray("hashes")::add);
            line(leaves);
        }

        @Override
        public void end(long rows, long end) throws IOException {
            line(JSON.createObjectNode().put("end", end).put("rows", rows));
        }

        private void line(ObjectNode json) throws IOException {
            out.append(PlainJson.of(JSON.writeValueAsString(json))).append('\n');
        }
    }

    private static List<ObjectNode> checkpoints(JdbcClient client, long above, long end) {
        return client.sql("SELECT size, root, at, key_id, signature FROM audit_checkpoint WHERE size > ? AND size <= ?"
                        + " ORDER BY size LIMIT " + CHECKPOINTS_AT_ONCE)
                .params(above, end)
                .query((row, index) -> JSON.createObjectNode()
                        .put("size", row.getLong(1))
                        .put("root", row.getString(2))
                        .put("at", row.getLong(3))
                        .put("key", row.getString(4))
                        .put("signature", row.getString(5)))
                .list();
    }

    /** Writes a table for people. */
    private record Table(Writer out) implements Sheet {

        @Override
        public void begin(Beginning log) throws IOException {
            out.append(CsvLine.of(COLUMNS));
        }

        @Override
        public void row(LoggedRow logged) throws IOException {
            boolean erased = logged.isErased();
            out.append(CsvLine.of(List.of(
                    Long.toString(logged.row().number()),
                    Instant.ofEpochMilli(logged.row().at()).toString(),
                    logged.row().actor(),
                    erased ? "erased" : logged.origin(),
                    logged.row().kind(),
                    logged.row().outcome(),
                    Long.toString(logged.row().expected()),
                    erased ? "erased" : logged.reason(),
                    erased ? "erased" : logged.body(),
                    erased ? Long.toString(logged.erasedBy()) : "",
                    logged.hash())));
        }

        @Override
        public void deleted(long first, LogPage page) throws IOException {
            long last = first + page.leaves().size() - 1;
            out.append(CsvLine.of(
                    List.of(first + ".." + last, "", "", "", "deleted because of their age", "", "", "", "", "", "")));
        }

        @Override
        public void end(long rows, long end) {
            // The last row is visible without an end mark.
        }
    }
}
