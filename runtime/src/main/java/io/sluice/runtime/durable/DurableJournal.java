package io.sluice.runtime.durable;

import io.sluice.rules.watch.RegularFile;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sums of a process on disk. Changed sums are appended and forced to the disk; from time to time the file is replaced by one that has
 * each sum once. Every line has a checksum. A line that was cut short or damaged is left out, and the others count. Thread-safe.
 *
 * <p>One process writes a journal. A second one in the same directory keeps its sums in memory only.
 *
 * <p><b>Why sums get a new source unless the last run ended cleanly.</b> Then the center may have later states than the disk. What is
 * charged now would look older than those, and be ignored.
 */
final class DurableJournal implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(DurableJournal.class);
    private static final String FILE = "journal";
    private static final String TEMPORARY = ".tmp";

    /** Is there if the last run wrote everything. */
    private static final String CLOSED = "closed";

    private static final String SOURCE = "N";
    private static final String SUM = "S";
    private static final String DONE = "D";

    /** The file is replaced when it has grown by this much and is several times as large as needed. */
    private static final long GROWTH = 1 << 20;

    private static final int TIMES = 4;

    /** So many characters are written at once. */
    private static final int PIECE = 1 << 16;

    /** So many stores are remembered as done. */
    private static final int MOST_DONE = 100;

    /** So many own sources are remembered. */
    private static final int MOST_SOURCES = 10;

    /** How bytes get to a disk. Another one can hang or be full at a chosen moment. */
    interface Disk {

        /** Appends bytes. */
        default void write(FileChannel file, ByteBuffer bytes) throws IOException {
            while (bytes.hasRemaining()) {
                int unused = file.write(bytes);
            }
        }

        /** Returns when everything that was appended survives a power failure. */
        default void force(FileChannel file) throws IOException {
            file.force(false);
        }
    }

    /** The disk of this machine. */
    static final Disk DISK = new Disk() {};

    private final Disk disk;
    private final @Nullable Path folder;
    private final String source;

    /** The sources of earlier runs, and that of this one at the end. */
    private final Set<String> sources = new LinkedHashSet<>();

    /** Guarded by itself, so that nobody waits for the disk. */
    private final Set<String> done = new LinkedHashSet<>();

    /** The lines of stores that are done, until they are written. Guarded by {@code done}. */
    private final List<String> unwritten = new ArrayList<>();

    private final Map<String, DurableSum> loaded = new LinkedHashMap<>();
    private @Nullable String problem;
    private @Nullable FileChannel lock;
    private @Nullable FileChannel file;
    private long compactBytes;

    private DurableJournal(@Nullable Path folder, Disk disk) {
        this.disk = disk;
        this.folder = folder;
        String known = folder == null ? null : open(folder);
        this.source = known == null ? UUID.randomUUID().toString() : known;
        sources.add(source);
        oldest(sources, MOST_SOURCES).forEach(sources::remove);
    }

    private static List<String> oldest(Set<String> all, int kept) {
        return all.stream().limit(Math.max(0, all.size() - kept)).toList();
    }

    /** Opens the journal in a directory, or one in memory if there is none or it cannot be used. */
    static DurableJournal in(@Nullable Path folder, Disk disk) {
        return new DurableJournal(folder, disk);
    }

    /** Returns the source of what is charged now. */
    String source() {
        return source;
    }

    /** Returns whether this run or an earlier one had this source. */
    boolean isOwn(String someSource) {
        return sources.contains(someSource);
    }

    /** Returns why the sums are in memory only although they should be on disk. */
    Optional<String> problem() {
        return Optional.ofNullable(problem);
    }

    /** Returns the sums of earlier runs, once. */
    List<DurableSum> takeLoaded() {
        List<DurableSum> all = List.copyOf(loaded.values());
        loaded.clear();
        return all;
    }

    /** Returns whether everything that earlier stores were charged is in this store. Never waits. */
    boolean isDone(String store) {
        synchronized (done) {
            return done.contains(store);
        }
    }

    /** Records that everything that earlier stores were charged is in this store. The disk gets it with the next sums. Never waits. */
    void done(String store) {
        synchronized (done) {
            if (done.add(store)) {
                oldest(done, MOST_DONE).forEach(done::remove);
                unwritten.add(line(DONE + "\t" + store));
            }
        }
    }

    /** Appends sums. When it returns, they are on disk. */
    synchronized void append(List<DurableSum> sums) throws IOException {
        FileChannel open = file;
        if (open != null) {
            write(open, Stream.concat(takeUnwritten().stream(), lines(sums)));
        }
    }

    private List<String> takeUnwritten() {
        synchronized (done) {
            List<String> all = List.copyOf(unwritten);
            unwritten.clear();
            return all;
        }
    }

    private static Stream<String> lines(Collection<DurableSum> sums) {
        return sums.stream().map(sum -> line(SUM + "\t" + sum.text()));
    }

    /** Returns whether the file should be replaced. */
    synchronized boolean isLarge() throws IOException {
        return file != null && file.position() > compactBytes * TIMES + GROWTH;
    }

    /** Replaces the file by one with these sums only. The old one stays until the new one is on disk. */
    synchronized void replace(Collection<DurableSum> sums) throws IOException {
        if (folder == null || lock == null) {
            return;
        }
        List<String> head = new ArrayList<>();
        sources.forEach(each -> head.add(line(SOURCE + "\t" + each)));
        synchronized (done) {
            unwritten.clear();
            done.forEach(store -> head.add(line(DONE + "\t" + store)));
        }
        // Only the owner can read a temporary file, and the move keeps it so.
        Path temporary = Files.createTempFile(folder, FILE, TEMPORARY);
        FileChannel next = FileChannel.open(temporary, StandardOpenOption.WRITE);
        try {
            write(next, Stream.concat(head.stream(), lines(sums)));
            Files.move(temporary, folder.resolve(FILE), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            next.close();
            Files.deleteIfExists(temporary);
            throw e;
        }
        syncFolder(folder);
        FileChannel old = file;
        file = next;
        compactBytes = next.position();
        if (old != null) {
            old.close();
        }
    }

    /** Records that everything is on disk. Nothing may be written afterwards. */
    synchronized void complete() throws IOException {
        if (folder != null && file != null) {
            Files.createFile(folder.resolve(CLOSED));
        }
    }

    @Override
    public synchronized void close() {
        closeQuietly(file);
        closeQuietly(lock);
        file = null;
        lock = null;
    }

    /** Locks the directory and reads the file. Returns the source of the last run; null if this one needs another. */
    private @Nullable String open(Path directory) {
        try {
            Files.createDirectories(directory);
            FileChannel taken =
                    FileChannel.open(directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            if (!isLocked(taken)) {
                taken.close();
                problem = "another process writes the journal of durable limits";
                LOG.warn(
                        "another process writes the journal of durable limits in {}; this one keeps its sums in memory",
                        directory);
                return null;
            }
            lock = taken;
            boolean clean = Files.deleteIfExists(directory.resolve(CLOSED));
            removeTemporary(directory);
            syncFolder(directory);
            String last = read(directory.resolve(FILE));
            return clean ? last : null;
        } catch (IOException e) {
            closeQuietly(lock);
            lock = null;
            problem = "the journal of durable limits cannot be used";
            LOG.warn("cannot use the journal of durable limits in {}: {}", directory, e.toString());
            return null;
        }
    }

    /** A run that was killed while it replaced the file has left the new one, with keys of callers. */
    private static void removeTemporary(Path directory) throws IOException {
        try (DirectoryStream<Path> left = Files.newDirectoryStream(directory, FILE + "*" + TEMPORARY)) {
            for (Path each : left) {
                Files.deleteIfExists(each);
            }
        }
    }

    /** Returns the last source; null if there is none, or if something is damaged. */
    private @Nullable String read(Path path) throws IOException {
        String name = null;
        long damaged = 0;
        long unknown = 0;
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(RegularFile.open(path), StandardCharsets.ISO_8859_1))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String body = body(line);
                if (body.startsWith(SOURCE + "\t") && DurableSum.isName(body.substring(2))) {
                    name = body.substring(2);
                    sources.add(name);
                } else if (body.startsWith(DONE + "\t")) {
                    done.add(body.substring(2));
                } else if (body.isEmpty()) {
                    damaged++;
                } else if (!body.startsWith(SUM + "\t") || !load(body.substring(2))) {
                    unknown++;
                }
            }
        } catch (NoSuchFileException e) {
            return null;
        }
        if (damaged > 0) {
            LOG.warn("the journal of durable limits in {} has {} damaged lines, which are left out", path, damaged);
        }
        if (unknown > 0) {
            LOG.warn(
                    "the journal of durable limits in {} has {} lines of another version, which are left out",
                    path,
                    unknown);
        }
        // Whoever charged a store had restored it before.
        loaded.values().forEach(sum -> done.add(sum.store()));
        return damaged + unknown > 0 ? null : name;
    }

    private boolean load(String text) {
        try {
            DurableSum sum = DurableSum.parse(text);
            loaded.put(sum.ref(), sum);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** Writes lines piece by piece, because all of them together may be large, and forces them to the disk. */
    private void write(FileChannel open, Stream<String> lines) throws IOException {
        StringBuilder text = new StringBuilder();
        boolean wrote = false;
        for (Iterator<String> all = lines.iterator(); all.hasNext(); ) {
            text.append(all.next());
            if (text.length() > PIECE || !all.hasNext()) {
                disk.write(open, ByteBuffer.wrap(text.toString().getBytes(StandardCharsets.UTF_8)));
                text.setLength(0);
                wrote = true;
            }
        }
        if (wrote) {
            disk.force(open);
        }
    }

    private static String line(String body) {
        return checksum(body) + "\t" + body + "\n";
    }

    /** Returns a line without its checksum; an empty text if that is wrong. */
    private static String body(String line) {
        int tab = line.indexOf('\t');
        String body = tab < 0 ? "" : line.substring(tab + 1);
        return tab > 0 && line.substring(0, tab).equals(checksum(body)) ? body : "";
    }

    private static String checksum(String body) {
        CRC32 crc = new CRC32();
        crc.update(body.getBytes(StandardCharsets.UTF_8));
        return Long.toHexString(crc.getValue());
    }

    private static boolean isLocked(FileChannel channel) throws IOException {
        try {
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            return false;
        }
    }

    /** Makes sure that the new name survives a power failure too. */
    private static void syncFolder(Path folder) {
        try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
        } catch (IOException e) {
            // Not every system supports this. The file itself is on disk.
        }
    }

    private static void closeQuietly(@Nullable FileChannel channel) {
        try {
            if (channel != null) {
                channel.close();
            }
        } catch (IOException e) {
            LOG.debug("a file did not close cleanly", e);
        }
    }
}
