package io.sluice.runtime.data;

import io.sluice.rules.json.JsonLine;
import io.sluice.rules.yaml.JsonObject;
import io.sluice.runtime.data.DataBatch.Kind;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Base64;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/** Data as JSON: each batch is compressed. Reading throws {@link IllegalArgumentException} if the text is anything else. */
public final class DataText {

    private static final int MOST_BATCHES = 10_000;
    private static final int BUFFER = 8_192;

    /** Sums over all nodes stay far below the largest number. */
    private static final long MAX_COUNT = 1L << 48;

    /** All batches of a report have at most this many bytes together, once they are unpacked. */
    private static final int MOST_BYTES = 16_000_000;

    private DataText() {}

    /** Writes a report as fields of the current object. */
    public static void write(JsonLine line, DataReport report) {
        line.field("sent", report.sentMillis());
        line.list("batches", report.batches(), batch -> line.field("number", batch.number())
                .field("kind", batch.kind().word())
                .field("content", text(batch.content())));
        counts(line, "dropped", report.dropped());
        counts(line, "pending", report.pending());
    }

    private static void counts(JsonLine line, String name, Map<Kind, Long> counts) {
        line.begin(name);
        counts.forEach((kind, count) -> line.field(kind.word(), (long) count));
        line.end();
    }

    public static DataReport report(JsonObject fields) {
        List<JsonObject> objects = fields.objects("batches");
        if (objects.size() > MOST_BATCHES) {
            throw new IllegalArgumentException(
                    "batches: " + objects.size() + " (expected: at most " + MOST_BATCHES + ")");
        }
        List<DataBatch> batches = new ArrayList<>();
        int left = MOST_BYTES;
        for (JsonObject each : objects) {
            byte[] content = bytes(each.text("content"), Math.min(left, DataBatch.MOST_BYTES));
            left -= content.length;
            batches.add(new DataBatch(each.whole("number", 1, Long.MAX_VALUE), Kind.of(each.text("kind")), content));
        }
        return new DataReport(
                fields.whole("sent", 0, Long.MAX_VALUE), batches, counts(fields, "dropped"), counts(fields, "pending"));
    }

    private static Map<Kind, Long> counts(JsonObject fields, String name) {
        Map<Kind, Long> all = new EnumMap<>(Kind.class);
        fields.object(name).ifPresent(counts -> {
            for (Kind kind : Kind.values()) {
                if (counts.has(kind.word())) {
                    all.put(kind, counts.whole(kind.word(), 0, MAX_COUNT));
                }
            }
        });
        return all;
    }

    /** Returns the maximum number of characters that a batch takes in a report. */
    static int characters(byte[] content) {
        return text(content).length() + 100;
    }

    private static String text(byte[] content) {
        Deflater deflater = new Deflater(Deflater.BEST_SPEED, true);
        try {
            deflater.setInput(content);
            deflater.finish();
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            byte[] buffer = new byte[BUFFER];
            while (!deflater.finished()) {
                out.write(buffer, 0, deflater.deflate(buffer));
            }
            return Base64.getEncoder().withoutPadding().encodeToString(out.toByteArray());
        } finally {
            deflater.end();
        }
    }

    private static byte[] bytes(String text, int most) {
        Inflater inflater = new Inflater(true);
        try {
            // Without a header, the inflater wants one more byte than there is.
            byte[] packed = Base64.getDecoder().decode(text);
            byte[] padded = new byte[packed.length + 1];
            System.arraycopy(packed, 0, padded, 0, packed.length);
            inflater.setInput(padded);
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            byte[] buffer = new byte[BUFFER];
            while (!inflater.finished()) {
                int read = inflater.inflate(buffer);
                if (read == 0 && !inflater.finished()) {
                    throw new IllegalArgumentException("content: incomplete (expected: a whole batch)");
                }
                out.write(buffer, 0, read);
                if (out.size() > most) {
                    throw new IllegalArgumentException("content: too long (expected: at most " + DataBatch.MOST_BYTES
                            + " bytes, and " + MOST_BYTES + " in all batches)");
                }
            }
            return out.toByteArray();
        } catch (DataFormatException e) {
            throw new IllegalArgumentException("content: damaged (expected: a compressed batch)", e);
        } finally {
            inflater.end();
        }
    }
}
