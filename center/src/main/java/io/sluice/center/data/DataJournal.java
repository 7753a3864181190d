package io.sluice.center.data;

import io.sluice.runtime.data.DataBatch.Kind;
import io.sluice.runtime.data.PackReader;
import io.sluice.runtime.data.PackWriter;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Batches in the order in which they arrived, in files. A file starts with the last stored batch number of each node, so that older files
 * can be deleted. A record that was cut off by a crash ends its file; such a record was never acknowledged. Not thread-safe.
 */
final class DataJournal implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(DataJournal.class);
    private static final String PREFIX = "journal-";
    private static final int LONGEST_RECORD = 64_000_000;

    private final Path folder;

    /** The files by the position of their first batch. */
    private final TreeMap<Long, Path> files = new TreeMap<>();

    private final Map<String, Last> last = new LinkedHashMap<>();
    private long next = 1;
    private long written;
    private @Nullable FileChannel out;

    /** The last batch of a node and the time of its arrival. */
    record Last(long startedMillis, long number, long atMillis) {}

    private DataJournal(Path folder) {
        this.folder = folder;
    }

    /**
     * Opens a journal and replays its batches. New positions start at the current time, so that they rise even if a loss of power removed
     * the end of the journal.
     */
    static DataJournal open(Path folder, long nowMicros, Consumer<StoredBatch> replay) throws IOException {
        Files.createDirectories(folder);
        DataJournal journal = new DataJournal(folder);
        try (Stream<Path> found = Files.list(folder)) {
            for (Path file : found.toList()) {
                String name = file.getFileName().toString();
                if (name.matches(PREFIX + "\\d{1,18}")) {
                    journal.files.put(Long.parseLong(name.substring(PREFIX.length())), file);
                }
            }
        }
        for (Map.Entry<Long, Path> file : journal.files.entrySet()) {
            journal.next = Math.max(journal.next, file.getKey());
            journal.read(file.getValue(), replay);
        }
        journal.next = Math.max(journal.next, nowMicros);
        return journal;
    }

    /** Returns the number of the last stored batch since a start of a node; 0 if there is none. */
    long last(String node, long startedMillis) {
        Last known = last.get(node);
        return known == null || known.startedMillis != startedMillis ? 0 : known.number;
    }

    /** Returns the position of the next batch. */
    long next() {
        return next;
    }

    /** Returns the size of the newest file in bytes. */
    long written() {
        return written;
    }

    /** Writes a batch. Its position must be {@link #next}. */
    void add(StoredBatch batch, long nowMillis) throws IOException {
        if (out == null) {
            begin();
        }
        write(new PackWriter()
                .number(1)
                .number(batch.position())
                .text(batch.node())
                .number(batch.startedMillis())
                .number(batch.number())
                .text(batch.kind().word())
                .number(Math.abs(batch.shiftMillis()))
                .number(batch.shiftMillis() < 0 ? 1 : 0)
                .number(nowMillis)
                .bytes(batch.content())
                .toBytes());
        next = batch.position() + 1;
        last.put(batch.node(), new Last(batch.startedMillis(), batch.number(), nowMillis));
    }

    /**
     * Starts a new file with the next batch, deletes files that are no longer needed, and forgets nodes that were silent.
     *
     * @param neededFrom the lowest position that is still needed
     */
    void roll(long neededFrom, long silentSinceMillis) throws IOException {
        last.values().removeIf(each -> each.atMillis < silentSinceMillis);
        closeFile();
        begin();
        while (files.size() > 1) {
            Long second = files.higherKey(files.firstKey());
            if (second == null || second > neededFrom) {
                return;
            }
            Files.deleteIfExists(files.pollFirstEntry().getValue());
        }
    }

    @Override
    public void close() throws IOException {
        closeFile();
    }

    private void begin() throws IOException {
        Path file = folder.resolve(PREFIX + next);
        out = FileChannel.open(
                file, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE);
        written = 0;
        files.put(next, file);
        PackWriter head = new PackWriter().number(0).number(last.size());
        last.forEach((node, each) ->
                head.text(node).number(each.startedMillis).number(each.number).number(each.atMillis));
        write(head.toBytes());
    }

    private void closeFile() throws IOException {
        FileChannel open = out;
        out = null;
        if (open != null) {
            open.force(false);
            open.close();
        }
    }

    private void write(byte[] record) throws IOException {
        CRC32 sum = new CRC32();
        sum.update(record);
        ByteBuffer bytes = ByteBuffer.allocate(record.length + 12)
                .putInt(record.length)
                .putLong(sum.getValue())
                .put(record)
                .flip();
        FileChannel open = out;
        if (open == null) {
            throw new IOException("the journal is closed");
        }
        long begin = open.position();
        try {
            while (bytes.hasRemaining()) {
                open.write(bytes);
            }
        } catch (IOException e) {
            // A partly written record must not hide the next record.
            open.truncate(begin);
            throw e;
        }
        written += record.length + 12L;
    }

    private void read(Path file, Consumer<StoredBatch> replay) throws IOException {
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
            while (true) {
                int length = in.readInt();
                long sum = in.readLong();
                if (length < 0 || length > LONGEST_RECORD) {
                    throw new EOFException();
                }
                byte[] record = in.readNBytes(length);
                CRC32 own = new CRC32();
                own.update(record);
                if (record.length < length || own.getValue() != sum) {
                    throw new EOFException();
                }
                take(new PackReader(record), replay);
            }
        } catch (EOFException e) {
            // This is the end of the file, or a record that was cut off.
        } catch (IllegalArgumentException e) {
            LOG.warn(
                    "the journal of the nodes' data has a damaged record; what follows in this file is lost: {}", file);
        }
    }

    private void take(PackReader record, Consumer<StoredBatch> replay) {
        if (record.number(1) == 0) {
            int nodes = record.count();
            for (int i = 0; i < nodes; i++) {
                last.put(record.text(), new Last(record.number(), record.number(), record.number()));
            }
            return;
        }
        long position = record.number();
        String node = record.text();
        long started = record.number();
        long number = record.number();
        Kind kind = Kind.of(record.text());
        long shift = record.number();
        boolean negative = record.number(1) == 1;
        long at = record.number();
        last.put(node, new Last(started, number, at));
        next = Math.max(next, position + 1);
        replay.accept(
                new StoredBatch(position, node, started, number, kind, negative ? -shift : shift, record.bytes()));
    }

    /** Returns the names of the files, for tests. */
    List<Path> files() {
        return new ArrayList<>(files.values());
    }
}
