package io.sluice.center.export;

import io.sluice.center.audit.AuditCheck;
import io.sluice.center.audit.AuditHead;
import io.sluice.center.audit.AuditRow;
import io.sluice.center.audit.AuditSegment;
import io.sluice.center.audit.LoggedKey;
import io.sluice.center.audit.LoggedRow;
import io.sluice.runtime.witness.Checkpoint;
import io.sluice.runtime.witness.LogKey;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.zip.GZIPInputStream;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reads an export in JSON lines, plain or compressed, line by line. Not thread-safe. */
public final class ExportReader {

    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();
    private static final int LONGEST_LINE = 512 * 1024 * 1024;
    private static final int LONGEST_HEADER = 16 * 1024 * 1024;
    private static final int GZIP = 0x8b1f;
    private static final Set<String> ROW = Set.of(
            "row",
            "at",
            "actor",
            "kind",
            "expected",
            "outcome",
            "from",
            "reason",
            "body",
            "salt",
            "commitment",
            "hash",
            "erased_by");

    private final InputStream in;
    private final JsonNode header;
    private long line;

    /**
     * The end of a file.
     *
     * @param lastRow the last row that was read, including deleted rows
     * @param cut the reason why the file is not complete; empty if it is complete
     */
    public record Ending(long lastRow, Optional<String> cut) {}

    /**
     * Reads the first line.
     *
     * @throws IOException if the file cannot be read, or is not an export; its message is for people
     */
    public ExportReader(InputStream file) throws IOException {
        this.in = decompressed(file);
        byte[] first = next(LONGEST_HEADER);
        JsonNode read = JSON.missingNode();
        try {
            read = JSON.readTree(first);
        } catch (JacksonException e) {
            // The following check reports this.
        }
        if (!AuditExport.KIND.equals(read.path("sluice").asString(""))) {
            throw new IOException("not an export of an audit log (expected: a file that ./sluice audit export wrote)");
        }
        if (read.path("format").asInt(0) != AuditExport.FORMAT) {
            throw new IOException("written by a newer Sluice (expected: format " + AuditExport.FORMAT + ")");
        }
        this.header = read;
    }

    /** Returns the id of the log. */
    public String log() {
        return header.path("log").asString("");
    }

    /** Returns the start time of the export according to the file, in milliseconds since the epoch. */
    public long at() {
        return header.path("at").asLong(0);
    }

    /** Passes the content of the first line, and then all other lines, to each verifier. */
    public Ending feed(List<AuditCheck> checks) throws IOException {
        checks.forEach(this::begin);
        long last = 0;
        long rows = 0;
        for (byte[] text = next(LONGEST_LINE); text.length > 0; text = next(LONGEST_LINE)) {
            try {
                JsonNode json = JSON.readTree(text);
                if (json.has("end")) {
                    return end(json, rows, last);
                }
                if (json.has("row")) {
                    LoggedRow row = row(json);
                    last = row.row().number();
                    rows++;
                    checks.forEach(check -> check.accept(row));
                } else if (json.has("leaves")) {
                    JsonNode hashes = json.path("hashes");
                    hashes.forEach(hash -> checks.forEach(check -> check.leaf(hash.asString(""))));
                    last = number(json, "leaves") + hashes.size() - 1;
                } else {
                    Consumer<AuditCheck> part = part(json);
                    checks.forEach(part);
                }
            } catch (JacksonException | IllegalArgumentException | IllegalStateException e) {
                return new Ending(last, Optional.of("line " + line + " cannot be read"));
            }
        }
        return new Ending(last, Optional.of("the file has no last line; it was cut off after row " + last));
    }

    private void begin(AuditCheck check) {
        check.log(log());
        for (JsonNode each : header.path("keys")) {
            try {
                check.key(new LoggedKey(
                        new LogKey(each.path("key").asString("")),
                        each.path("before").asString(""),
                        each.path("signature").asString(""),
                        each.path("at").asLong(0)));
            } catch (IllegalArgumentException e) {
                check.damage("a key of the log cannot be read");
            }
        }
        JsonNode head = header.path("head");
        check.head(new AuditHead(head.path("size").asLong(0), head.path("root").asString("")));
        check.counter(header.path("highest").asLong(0));
    }

    private static Consumer<AuditCheck> part(JsonNode json) {
        if (json.has("checkpoint")) {
            JsonNode each = json.path("checkpoint");
            Checkpoint checkpoint = new Checkpoint(
                    text(each, "log"),
                    number(each, "size"),
                    text(each, "root"),
                    number(each, "at"),
                    text(each, "key"),
                    text(each, "signature"));
            return check -> check.checkpoint(checkpoint);
        }
        JsonNode each = json.path("segment");
        AuditSegment segment =
                new AuditSegment(number(each, "first"), number(each, "last"), text(each, "root"), number(each, "at"));
        return check -> check.segment(segment);
    }

    private Ending end(JsonNode json, long rows, long last) throws IOException {
        if (next(LONGEST_LINE).length > 0) {
            return new Ending(last, Optional.of("the file goes on after its last line"));
        }
        if (number(json, "end") != last || json.path("rows").asLong(-1) != rows) {
            return new Ending(
                    last,
                    Optional.of("the file has " + rows + " rows up to " + last + " (expected: "
                            + json.path("rows").asLong(0) + " up to "
                            + number(json, "end") + ")"));
        }
        return new Ending(last, Optional.empty());
    }

    /**
     * Reads a row. Further fields are refused, because the hash does not cover them and they could show content that was never in the log.
     */
    private static LoggedRow row(JsonNode json) {
        if (!new HashSet<>(json.propertyNames()).equals(ROW)) {
            throw new IllegalArgumentException("other fields than those of a row");
        }
        return new LoggedRow(
                new AuditRow(
                        number(json, "row"),
                        number(json, "at"),
                        text(json, "actor"),
                        text(json, "kind"),
                        number(json, "expected"),
                        text(json, "outcome"),
                        text(json, "commitment")),
                text(json, "salt"),
                text(json, "from"),
                text(json, "reason"),
                text(json, "body"),
                text(json, "hash"),
                number(json, "erased_by"));
    }

    private static String text(JsonNode json, String name) {
        if (!json.path(name).isString()) {
            throw new IllegalArgumentException(name + ": missing (expected: a text)");
        }
        return json.path(name).asString();
    }

    private static long number(JsonNode json, String name) {
        if (!json.path(name).canConvertToLong() || !json.path(name).isIntegralNumber()) {
            throw new IllegalArgumentException(name + ": missing (expected: a number)");
        }
        return json.path(name).asLong();
    }

    private static InputStream decompressed(InputStream file) throws IOException {
        BufferedInputStream in = new BufferedInputStream(file);
        in.mark(2);
        int magic = in.read() | (in.read() << 8);
        in.reset();
        return magic == GZIP ? new BufferedInputStream(new GZIPInputStream(in)) : in;
    }

    /** Returns the next line without its line break; empty at the end of the file, and for a line that was cut off. */
    private byte[] next(int longest) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        line++;
        for (int each = read(); each != '\n'; each = read()) {
            if (each < 0) {
                return new byte[0];
            }
            if (bytes.size() == longest) {
                throw new IOException("line " + line + " is longer than " + longest + " bytes");
            }
            bytes.write(each);
        }
        return bytes.size() == 0 ? new byte[] {' '} : bytes.toByteArray();
    }

    /** Reads a byte, or -1 at the end. A compressed file may lack its end. */
    private int read() throws IOException {
        try {
            return in.read();
        } catch (EOFException e) {
            return -1;
        }
    }
}
