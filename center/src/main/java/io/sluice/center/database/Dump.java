package io.sluice.center.database;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.core.RowCallbackHandler;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * The whole content of a database as one file: compressed lines of JSON, one for each row. The format does not depend on the product, so it
 * also moves a center from SQLite to MariaDB and back.
 */
public final class Dump {

    /** Tables by the schema version that introduced them, in the order in which they are written. Sessions and links are not saved. */
    private static final Map<Integer, List<String>> TABLES = new TreeMap<>(Map.of(
            1, List.of("counter", "command", "rule_version", "rule_change", "rollout", "node_report"),
            2, List.of("adjustment"),
            3, List.of("account", "api_token"),
            4, List.of("change_author", "approval", "approval_settings", "settings_proposal", "emergency"),
            5, List.of("passkey_user", "passkey"),
            6, List.of("audit_head", "audit_node", "audit_checkpoint", "audit_key", "audit_segment"),
            8, List.of("erasure", "erasure_answer"),
            9, List.of("series_block"),
            10, List.of("alert_rule", "alert", "alert_silence")));

    /** Tables that a center fills at its start, before any change. Their rows are replaced by the rows of the file. */
    private static final List<String> OWN =
            List.of("counter", "audit_head", "audit_key", "audit_checkpoint", "node_report", "alert");

    private static final JsonMapper JSON = JsonMapper.shared();
    private static final int FORMAT = 1;

    /** The field of an object that represents bytes. */
    private static final String BYTES = "base64";

    private final Database database;

    public Dump(Database database) {
        this.database = database;
    }

    /** Writes everything in one consistent state, while other transactions read and write. Returns the number of rows. */
    public long write(OutputStream to) throws IOException {
        String schema = schema().version();
        try (Writer out = new OutputStreamWriter(new GZIPOutputStream(to), StandardCharsets.UTF_8)) {
            Map<String, Object> head = new LinkedHashMap<>();
            head.put("sluice", "center");
            head.put("format", FORMAT);
            head.put("schema", schema);
            line(out, head);
            return database.read(client -> {
                long rows = 0;
                for (String table : tables(schema)) {
                    rows += rows(client, table, out);
                }
                line(out, Map.of("rows", rows));
                return rows;
            });
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /**
     * Fills an empty database. If the file is damaged or incomplete, nothing is changed.
     *
     * @throws DatabaseUnusableException if the database has data, or the file cannot be read
     */
    public long read(InputStream from) throws IOException, DatabaseUnusableException {
        if (!isEmpty()) {
            throw new DatabaseUnusableException(
                    "import: the database has data (expected: an empty one, such as a new --data directory)");
        }
        try (BufferedReader in =
                new BufferedReader(new InputStreamReader(new GZIPInputStream(from), StandardCharsets.UTF_8))) {
            Map<?, ?> head = parse(in.readLine());
            if (!"center".equals(head.get("sluice")) || !Integer.valueOf(FORMAT).equals(head.get("format"))) {
                throw new IOException("not an export of a center");
            }
            if (!schema().version().equals(head.get("schema"))) {
                throw new DatabaseUnusableException("import: the file has schema " + head.get("schema") + " (expected: "
                        + schema().version() + "; use the version of Sluice that wrote it, then upgrade)");
            }
            return database.write(client -> {
                OWN.forEach(table -> client.sql("DELETE FROM " + table).update());
                return insert(client, in);
            });
        } catch (UncheckedIOException e) {
            throw e.getCause();
        } catch (JacksonException
                | DataIntegrityViolationException
                | BadSqlGrammarException
                | UncategorizedSQLException e) {
            throw new IOException("damaged: " + e.getMessage(), e);
        }
    }

    /** Returns whether nothing was ever changed or released. */
    public boolean isEmpty() {
        return database.read(client ->
                client.sql("SELECT COUNT(*) FROM command").query(Long.class).single() == 0
                        && client.sql("SELECT COUNT(*) FROM rule_version")
                                        .query(Long.class)
                                        .single()
                                == 0);
    }

    /**
     * Returns the tables of a schema. The schema may be an older one, because a database is saved before its schema is brought up to date.
     */
    private static List<String> tables(String schema) {
        return TABLES.entrySet().stream()
                .filter(tables -> tables.getKey() <= Integer.parseInt(schema))
                .flatMap(tables -> tables.getValue().stream())
                .toList();
    }

    private Schema schema() {
        return new Schema(database.kind(), database.source(), Path.of(""));
    }

    private static long rows(JdbcClient client, String table, Writer out) {
        long[] rows = new long[1];
        client.sql("SELECT * FROM " + table + " ORDER BY 1").query((RowCallbackHandler) result -> {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("table", table);
            var columns = result.getMetaData();
            for (int i = 1; i <= columns.getColumnCount(); i++) {
                Object value = result.getObject(i);
                row.put(columns.getColumnName(i), json(value));
            }
            line(out, row);
            rows[0]++;
        });
        return rows[0];
    }

    private static @Nullable Object json(@Nullable Object value) {
        if (value instanceof byte[] bytes) {
            return Map.of(BYTES, Base64.getEncoder().encodeToString(bytes));
        }
        return value instanceof Number number ? number.longValue() : value;
    }

    private static @Nullable Object value(@Nullable Object json) throws IOException {
        try {
            return json instanceof Map<?, ?> object
                    ? Base64.getDecoder().decode(String.valueOf(object.get(BYTES)))
                    : json;
        } catch (IllegalArgumentException e) {
            throw new IOException("damaged: bytes that are not written in base64", e);
        }
    }

    private static long insert(JdbcClient client, BufferedReader in) {
        try {
            long rows = 0;
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                Map<?, ?> row = parse(line);
                Object end = row.get("rows");
                if (end != null) {
                    if (((Number) end).longValue() != rows) {
                        throw new IOException("incomplete: " + rows + " rows (expected: " + end + ")");
                    }
                    if (in.readLine() != null) {
                        throw new IOException("damaged: something follows the end");
                    }
                    return rows;
                }
                insert(client, row);
                rows++;
            }
            throw new IOException("incomplete: the end is missing");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void insert(JdbcClient client, Map<?, ?> row) throws IOException {
        String table = String.valueOf(row.get("table"));
        if (TABLES.values().stream().noneMatch(tables -> tables.contains(table))) {
            throw new IOException("unknown table: " + table);
        }
        List<String> names = row.keySet().stream()
                .map(String::valueOf)
                .filter(name -> !name.equals("table"))
                .toList();
        if (!names.stream().allMatch(name -> name.matches("[a-z_]{1,40}"))) {
            throw new IOException("damaged: a row of " + table);
        }
        String marks = String.join(", ", names.stream().map(name -> "?").toList());
        List<@Nullable Object> values = new ArrayList<>();
        for (String name : names) {
            values.add(value(row.get(name)));
        }
        client.sql("INSERT INTO " + table + " (" + String.join(", ", names) + ") VALUES (" + marks + ")")
                .params(values.toArray())
                .update();
    }

    private static Map<?, ?> parse(@Nullable String line) throws IOException {
        if (line == null) {
            throw new IOException("empty");
        }
        return JSON.readValue(line, Map.class);
    }

    private static void line(Writer out, Map<String, ?> row) {
        try {
            out.write(JSON.writeValueAsString(row));
            out.write('\n');
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
