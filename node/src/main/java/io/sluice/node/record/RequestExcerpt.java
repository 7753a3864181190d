package io.sluice.node.record;

import io.sluice.runtime.recording.ExcerptHead;
import io.sluice.runtime.recording.ExcerptQuestion;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * The newest requests of a recording, compressed. Files are read from the newest to the oldest, and only the fields that a replay needs
 * are taken. If there are more requests than the bounds allow, the oldest are left out. Used once, by one thread.
 *
 * <p>Requests are compressed in separate blocks, so that the oldest blocks can be dropped. Memory holds the blocks of the answer and one
 * more.
 */
final class RequestExcerpt {

    /** The number of requests in a block. */
    static final int BLOCK = 1_000;

    /** The maximum number of bytes of the head in the answer. */
    private static final int HEAD_BYTES = 4_096;

    private static final int LONGEST_LINE = 32_768;
    private static final String TIME = "{\"timestamp\":\"";
    private static final String VERDICT = ",\"rule_id\":\"";
    private static final String PERMITS = ",\"permits\":";

    private final ExcerptQuestion question;
    private final long sinceMicros;
    private final Deque<Block> blocks = new ArrayDeque<>();
    private long bytes;
    private long requests;
    private boolean cut;

    /** @param atMicros the time of its first request */
    @SuppressWarnings("ArrayRecordComponent") // compressed once, sent once
    private record Block(byte[] content, int requests, long atMicros) {}

    /** @param keySinceMicros older requests have hashes of another key, and are left out */
    RequestExcerpt(ExcerptQuestion question, long keySinceMicros) {
        this.question = question;
        this.sinceMicros = Math.max(question.sinceMicros(), keySinceMicros);
    }

    /** Reads the files of a directory. Without files, nothing was recorded before now. */
    byte[] of(Path folder, long nowMicros, long dropped, Set<String> plain, String key) throws IOException {
        List<RecordingName> names = new ArrayList<>(RecordingFiles.files(folder).keySet());
        long oldest = names.isEmpty() ? nowMicros : names.get(0).begun() * 1_000_000;
        for (int i = names.size() - 1; i >= 0 && !cut; i--) {
            add(names.get(i).requests(folder));
            // The file before this one ended when this one began. Other runs may overlap by a second.
            if (names.get(i).begun() * 1_000_000 < sinceMicros - 1_000_000) {
                break;
            }
        }
        long since = Math.max(sinceMicros, oldest);
        Block first = blocks.peekFirst();
        if (cut && first != null) {
            since = first.atMicros;
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream((int) bytes + HEAD_BYTES);
        String head = new ExcerptHead(since, cut, dropped, plain, key).toJson() + "\n";
        out.writeBytes(compressed(head.getBytes(StandardCharsets.UTF_8)));
        blocks.forEach(block -> out.writeBytes(block.content));
        return out.toByteArray();
    }

    /** Adds the requests of a file before those of newer files. */
    private void add(Path file) throws IOException {
        Deque<Block> own = new ArrayDeque<>();
        try (InputStream in = new BufferedInputStream(Files.newInputStream(file), 1 << 16)) {
            ByteArrayOutputStream block = new ByteArrayOutputStream(1 << 16);
            int count = 0;
            long begun = 0;
            for (String line = line(in); line != null; line = line(in)) {
                long at = micros(line);
                String wanted = at < sinceMicros ? null : wanted(line);
                if (wanted != null) {
                    begun = count == 0 ? at : Math.min(begun, at);
                    block.writeBytes(wanted.getBytes(StandardCharsets.UTF_8));
                    if (++count == BLOCK) {
                        keep(own, block, count, begun);
                        count = 0;
                    }
                }
            }
            if (count > 0) {
                keep(own, block, count, begun);
            }
        } catch (NoSuchFileException e) {
            // The file was too old and has been deleted.
            cut = true;
        }
        while (!own.isEmpty()) {
            blocks.addFirst(own.removeLast());
        }
    }

    private void keep(Deque<Block> own, ByteArrayOutputStream block, int count, long begun) throws IOException {
        Block made = new Block(compressed(block.toByteArray()), count, begun);
        block.reset();
        own.addLast(made);
        bytes += made.content.length;
        requests += count;
        while (!own.isEmpty()
                && (bytes > question.mostBytes() - HEAD_BYTES || requests > ExcerptQuestion.MOST_REQUESTS)) {
            Block left = own.removeFirst();
            bytes -= left.content.length;
            requests -= left.requests;
            cut = true;
        }
    }

    private static byte[] compressed(byte[] content) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out, 8_192) {
            {
                def.setLevel(Deflater.BEST_SPEED);
            }
        }) {
            gzip.write(content);
        }
        return out.toByteArray();
    }

    /** Returns the next whole line; null at the end. The last line of a file that is being written may be incomplete. */
    private static @Nullable String line(InputStream in) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream(512);
        for (int c = in.read(); c >= 0; c = in.read()) {
            if (c == '\n') {
                return line.size() > LONGEST_LINE ? "" : line.toString(StandardCharsets.UTF_8);
            }
            if (line.size() <= LONGEST_LINE) {
                line.write(c);
            }
        }
        return null;
    }

    /** Returns the time of a line; -1 if it has none. */
    private static long micros(String line) {
        int end = line.indexOf('"', TIME.length());
        if (!line.startsWith(TIME) || end < 0) {
            return -1;
        }
        try {
            return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.parse(line.substring(TIME.length(), end)));
        } catch (DateTimeParseException | ArithmeticException e) {
            return -1;
        }
    }

    /**
     * Returns the part of a line that a replay needs, with its line end; null if it is not a whole line of {@link RequestLines}. The
     * decision is left out. A name in quotation marks is never inside a value, where quotation marks are escaped.
     */
    static @Nullable String wanted(String line) {
        int verdict = line.lastIndexOf(VERDICT);
        int permits = line.indexOf(PERMITS, Math.max(0, verdict));
        int end = line.indexOf(',', permits + 1);
        if (verdict < 0 || permits < 0 || end < 0 || !line.endsWith("}")) {
            return null;
        }
        return line.substring(0, verdict) + line.substring(permits, end) + "}\n";
    }
}
