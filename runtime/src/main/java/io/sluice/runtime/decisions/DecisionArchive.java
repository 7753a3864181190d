package io.sluice.runtime.decisions;

import io.sluice.runtime.data.DecisionEntry;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The finished files of a decision log: compresses them, deletes the oldest, and removes lines of a subject. Every change replaces a
 * whole file atomically, so a crash leaves either the old or the new file. Thread-safe; one call at a time does work.
 */
final class DecisionArchive {

    private static final Logger LOG = LoggerFactory.getLogger(DecisionArchive.class);
    private static final String TEMPORARY = "decisions.tmp";
    private static final int BUFFER = 64 << 10;

    private final DecisionSettings.Files settings;
    private final Supplier<@Nullable LogFileName> current;
    private @Nullable String lastProblem;
    private boolean closed;

    /**
     * The result of an erasure.
     *
     * @param removed the number of removed lines
     * @param unreadable the number of files that could not be searched
     */
    record Erased(long removed, int unreadable) {}

    /** @param current returns the name of the file that is being written, which is never changed; null if there is none */
    DecisionArchive(DecisionSettings.Files settings, Supplier<@Nullable LogFileName> current) {
        this.settings = settings;
        this.current = current;
    }

    /** Compresses finished files, and deletes files that are too old or exceed the total size. */
    synchronized void tidy(long nowMillis) {
        if (closed) {
            return;
        }
        try {
            Files.deleteIfExists(settings.directory().resolve(TEMPORARY));
            SortedMap<LogFileName, Path> files = files();
            for (var each : files.entrySet()) {
                if (!each.getKey().packed() && !isOld(each.getKey(), nowMillis)) {
                    pack(each.getKey(), each.getValue());
                }
            }
            deleteOld(nowMillis);
            lastProblem = null;
        } catch (IOException e) {
            problem(e);
        }
    }

    private void problem(IOException e) {
        String problem = e.getClass().getSimpleName();
        if (!problem.equals(lastProblem)) {
            LOG.warn(
                    "finished files in {} could not be compressed or deleted ({}); this is tried again every minute",
                    settings.directory(),
                    e.toString());
        }
        lastProblem = problem;
    }

    /** A file that was started after the list was made is not in it, so the current name is read last. */
    private SortedMap<LogFileName, Path> files() throws IOException {
        SortedMap<LogFileName, Path> files = new TreeMap<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(settings.directory())) {
            for (Path file : all) {
                LogFileName.of(file).ifPresent(name -> files.put(name, file));
            }
        } catch (NoSuchFileException e) {
            return files;
        }
        LogFileName open = current.get();
        if (open != null) {
            files.remove(open);
        }
        return files;
    }

    /** A file has the lines of one day, the day on which it was started. All of them are old enough when the last line is. */
    private boolean isOld(LogFileName name, long nowMillis) {
        return Duration.ofDays(name.day() + 1).plus(settings.keep()).toMillis() < nowMillis;
    }

    private void deleteOld(long nowMillis) throws IOException {
        SortedMap<LogFileName, Path> files = files();
        LogFileName open = current.get();
        long total = open == null ? 0 : size(settings.directory().resolve(open.toString()));
        for (Path file : files.values()) {
            total += size(file);
        }
        for (var each : files.entrySet()) {
            if (total <= settings.maxTotal() && !isOld(each.getKey(), nowMillis)) {
                continue;
            }
            total -= size(each.getValue());
            Files.deleteIfExists(each.getValue());
        }
    }

    private static long size(Path file) throws IOException {
        try {
            return Files.size(file);
        } catch (NoSuchFileException e) {
            return 0;
        }
    }

    private void pack(LogFileName name, Path file) throws IOException {
        repair(file);
        if (Files.size(file) > 0) {
            try (InputStream in = new BufferedInputStream(Files.newInputStream(file), BUFFER)) {
                replace(packed(name), out -> in.transferTo(out));
            }
        }
        Files.deleteIfExists(file);
    }

    private Path packed(LogFileName name) {
        return settings.directory().resolve(new LogFileName(name.begun(), name.number(), true).toString());
    }

    /** Cuts off an incomplete last line, which a crash or a full disk has left. */
    static void repair(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            long end = channel.size();
            ByteBuffer buffer = ByteBuffer.allocate(4_096);
            while (end > 0) {
                long from = Math.max(0, end - buffer.capacity());
                buffer.clear().limit((int) (end - from));
                while (buffer.hasRemaining() && channel.read(buffer, from + buffer.position()) >= 0) {
                    // Keeps reading until the buffer is full or the file ends.
                }
                for (int i = buffer.position() - 1; i >= 0; i--) {
                    if (buffer.get(i) == '\n') {
                        if (from + i + 1 < channel.size()) {
                            channel.truncate(from + i + 1);
                        }
                        return;
                    }
                }
                end = from;
            }
            channel.truncate(0);
        }
    }

    private interface Content {
        void writeTo(OutputStream out) throws IOException;
    }

    private void replace(Path file, Content content) throws IOException {
        Path temporary = settings.directory().resolve(TEMPORARY);
        Files.deleteIfExists(temporary);
        try {
            try (FileChannel channel = LogFile.channel(temporary, StandardOpenOption.CREATE_NEW)) {
                OutputStream out =
                        new GZIPOutputStream(new BufferedOutputStream(Channels.newOutputStream(channel), BUFFER));
                content.writeTo(out);
                ((GZIPOutputStream) out).finish();
                out.flush();
                channel.force(true);
            }
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(temporary);
        }
    }

    /** Returns the number of files that were started before a second. */
    synchronized int begunBefore(long second) throws IOException {
        return (int)
                files().keySet().stream().filter(name -> name.begun() < second).count();
    }

    /** Removes the lines of a subject from all finished files. */
    synchronized Erased erase(Set<String> hashes) throws IOException {
        if (closed) {
            throw new IOException("the log is closed");
        }
        long removed = 0;
        int unreadable = 0;
        for (var each : files().entrySet()) {
            try {
                if (!each.getKey().packed()) {
                    pack(each.getKey(), each.getValue());
                }
                removed += erase(packed(each.getKey()), hashes);
            } catch (NoSuchFileException e) {
                // The file had no lines.
            } catch (IOException e) {
                unreadable++;
            }
        }
        return new Erased(removed, unreadable);
    }

    private long erase(Path file, Set<String> hashes) throws IOException {
        long[] found = new long[2];
        lines(file, line -> found[isOf(line, hashes) ? 0 : 1]++);
        if (found[0] > 0 && found[1] == 0) {
            Files.delete(file);
        } else if (found[0] > 0) {
            replace(
                    file,
                    out -> lines(file, line -> {
                        if (!isOf(line, hashes)) {
                            out.write(line);
                            out.write('\n');
                        }
                    }));
        }
        return found[0];
    }

    /** Waits for the running call, and ignores later calls. */
    synchronized void close() {
        closed = true;
    }

    private interface LineReader {
        void read(byte[] line) throws IOException;
    }

    private static void lines(Path file, LineReader reader) throws IOException {
        try (InputStream in = new GZIPInputStream(Files.newInputStream(file), BUFFER)) {
            ByteArrayOutputStream line = new ByteArrayOutputStream();
            byte[] buffer = new byte[BUFFER];
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                int from = 0;
                for (int i = 0; i < read; i++) {
                    if (buffer[i] == '\n') {
                        line.write(buffer, from, i - from);
                        reader.read(line.toByteArray());
                        line.reset();
                        from = i + 1;
                    }
                }
                line.write(buffer, from, read - from);
            }
            if (line.size() > 0) {
                reader.read(line.toByteArray());
            }
        }
    }

    /** Returns whether a line has one of the hashes as the hash of its caller or of an attribute. An unreadable line counts as a match. */
    static boolean isOf(byte[] line, Set<String> hashes) {
        String text = new String(line, StandardCharsets.UTF_8);
        List<String> named = new ArrayList<>();
        for (String hash : hashes) {
            if (text.contains(hash)) {
                named.add(hash);
            }
        }
        if (named.isEmpty()) {
            return false;
        }
        try {
            DecisionEntry entry = DecisionEntry.parse(text);
            return named.stream()
                    .anyMatch(hash -> entry.caller()
                                    .filter(caller -> caller.hash().equals(hash))
                                    .isPresent()
                            || entry.dimensions().values().stream()
                                    .anyMatch(mark -> mark.hash().equals(hash)));
        } catch (IllegalArgumentException | DateTimeException e) {
            return true;
        }
    }
}
