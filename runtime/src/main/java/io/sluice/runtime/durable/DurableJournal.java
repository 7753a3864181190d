package io.sluice.runtime.durable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sums of a process on disk. Changed sums are appended and forced to the disk; from time to time the file is replaced by one that has
 * each sum once. Every line has a checksum. An incomplete or damaged line is skipped, and the other lines count.
 *
 * <p>One thread opens, writes and closes the journal, because a disk may hang. Any thread may use the methods that never wait; the
 * methods about the source require an opened journal.
 *
 * <p>One process writes a journal. A second process in the same directory keeps its sums in memory until the first process ends.
 *
 * <p><b>Why sums get a new source unless the last run ended cleanly.</b> After a crash, the center may have later states than the disk.
 * New charges would look older than those states and be ignored.
 */
final class DurableJournal implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(DurableJournal.class);
    private static final String FILE = "journal";
    private static final String TEMPORARY = ".tmp";

    /** The name of a file that exists if the last run wrote everything. */
    private static final String CLOSED = "closed";

    private static final String TAKEN = "another process writes the journal of durable limits";

    private static final String UNUSABLE = "the journal of durable limits cannot be used";

    /** The growth after which the file is replaced if it is also several times as large as needed. */
    private static final long GROWTH = 1 << 20;

    private static final int TIMES = 4;

    /** The number of characters that are written at a time. */
    private static final int PIECE = 1 << 16;

    /** The maximum number of stores that are remembered as done. */
    private static final int MOST_DONE = 100;

    /** The maximum number of own sources that are remembered. */
    private static final int MOST_SOURCES = 10;

    /** Writes bytes to a disk. A test can replace it by a disk that hangs or is full at a chosen moment. */
    interface Disk {

        /** Creates the directory, unless it exists. */
        default void open(Path directory) throws IOException {
            Files.createDirectories(directory);
        }

        /** Appends bytes. */
        default void write(FileChannel file, ByteBuffer bytes) throws IOException {
            while (bytes.hasRemaining()) {
                int unused = file.write(bytes);
            }
        }

        /** Returns when all appended bytes survive a power failure. */
        default void force(FileChannel file) throws IOException {
            file.force(false);
        }
    }

    /** The disk of this machine. */
    static final Disk DISK = new Disk() {};

    private final Disk disk;
    private final @Nullable Path folder;

    /** Null until the journal was opened. */
    private volatile @Nullable Opened opened;

    /** Guarded by itself, so that no thread waits for the disk. */
    private final Set<String> done = new LinkedHashSet<>();

    /** The lines of stores that are done, until they are written. Guarded by {@code done}. */
    private final List<String> unwritten = new ArrayList<>();

    /** Guarded by {@code done}. */
    private int openings;

    private @Nullable FileChannel lock;
    private @Nullable FileChannel file;
    private long compactBytes;

    private DurableJournal(@Nullable Path folder, Disk disk) {
        this.disk = disk;
        this.folder = folder;
    }

    /**
     * The sources of the charges in this journal.
     *
     * @param source the source of new charges
     * @param sources the sources of earlier runs, and at the end the source of this run
     * @param problem why the sums are in memory only although they should be on disk
     */
    private record Opened(
            String source, Set<String> sources, @Nullable String problem) {

        static Opened of(String source, Set<String> earlier, @Nullable String problem) {
            Set<String> all = new LinkedHashSet<>(earlier);
            all.remove(source);
            all.add(source);
            oldest(all, MOST_SOURCES).forEach(all::remove);
            return new Opened(source, all, problem);
        }
    }

    private static List<String> oldest(Set<String> all, int kept) {
        return all.stream().limit(Math.max(0, all.size() - kept)).toList();
    }

    /** Returns the journal of a directory, or one in memory if there is none. Does not touch the disk. */
    static DurableJournal in(@Nullable Path folder, Disk disk) {
        return new DurableJournal(folder, disk);
    }

    /**
     * Locks the directory and reads the file. If the directory cannot be used, the sums are in memory only, {@link #problem} returns the
     * reason, and this call can be repeated. After a repeated call, only stores in the file count as done: other stores have not been
     * charged with its sums.
     *
     * @param progress runs now and then while a file is read
     * @param begin gets the source of new charges and the sums of earlier runs, before any thread can restore them
     */
    void open(Runnable progress, BiConsumer<String, List<DurableSum>> begin) {
        Opened before = opened;
        if (folder == null) {
            inMemory(begin, null);
            return;
        }
        try {
            JournalContent content = read(folder, progress);
            String source = before == null ? content.last().orElseGet(DurableJournal::newSource) : before.source;
            Opened next = Opened.of(source, content.sources(), null);
            begin.accept(source, content.sums());
            synchronized (done) {
                done.clear();
                done.addAll(content.done());
                unwritten.clear();
                openings++;
            }
            opened = next;
            if (before != null) {
                LOG.info("the journal of durable limits in {} can be used now", folder);
            }
        } catch (IOException | RuntimeException | Error e) {
            closeQuietly(lock);
            lock = null;
            failed(folder, before, begin, e);
        }
    }

    private void failed(
            Path directory, @Nullable Opened before, BiConsumer<String, List<DurableSum>> begin, Throwable e) {
        boolean taken = e instanceof TakenException;
        String why = taken ? TAKEN : UNUSABLE;
        if (before == null || !why.equals(before.problem)) {
            LOG.warn(
                    "{} in {}; this process keeps its sums in memory until it can be used{}",
                    why,
                    directory,
                    taken ? "" : ": " + e);
        }
        if (before == null) {
            inMemory(begin, why);
        } else {
            opened = Opened.of(before.source, before.sources, why);
        }
    }

    private void inMemory(BiConsumer<String, List<DurableSum>> begin, @Nullable String why) {
        String source = newSource();
        begin.accept(source, List.of());
        opened = Opened.of(source, Set.of(), why);
    }

    private static String newSource() {
        return UUID.randomUUID().toString();
    }

    /** Returns whether an attempt to open the journal has ended. Never waits. */
    boolean isOpen() {
        return opened != null;
    }

    private Opened opened() {
        Opened known = opened;
        if (known == null) {
            throw new IllegalStateException("the journal was not opened");
        }
        return known;
    }

    /** Returns the source of new charges. Never waits. */
    String source() {
        return opened().source;
    }

    /** Returns whether this run or an earlier one had this source. Never waits. */
    boolean isOwn(String someSource) {
        return opened().sources.contains(someSource);
    }

    /** Returns why the sums are in memory only although they should be on disk. Never waits. */
    Optional<String> problem() {
        Opened known = opened;
        return known == null ? Optional.empty() : Optional.ofNullable(known.problem);
    }

    /** Returns whether the file may have sums that have not been read. Never waits. */
    boolean isUnusable() {
        return problem().equals(Optional.of(UNUSABLE));
    }

    /** Returns whether this store has all charges of earlier stores. Never waits. */
    boolean isDone(String store) {
        synchronized (done) {
            return done.contains(store);
        }
    }

    /** Returns the number of times a file was read. Never waits. */
    int openings() {
        synchronized (done) {
            return openings;
        }
    }

    /**
     * Records that this store has all charges of earlier stores. The record reaches the disk with the next sums. Never waits.
     *
     * @param asOf the earlier value of {@link #openings}; if a file was read since then, the store has not been charged with its sums
     */
    void done(String store, int asOf) {
        synchronized (done) {
            if (openings == asOf && done.add(store)) {
                oldest(done, MOST_DONE).forEach(done::remove);
                unwritten.add(JournalContent.doneLine(store));
            }
        }
    }

    /** Appends sums. They are on disk when this method returns. */
    void append(List<DurableSum> sums) throws IOException {
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
        return sums.stream().map(JournalContent::sumLine);
    }

    /** Returns whether the file should be replaced. */
    boolean isLarge() throws IOException {
        return file != null && file.position() > compactBytes * TIMES + GROWTH;
    }

    /** Replaces the file by one that has only these sums. The old file stays until the new one is on disk. */
    void replace(Collection<DurableSum> sums) throws IOException {
        if (folder == null || lock == null) {
            return;
        }
        List<String> head = new ArrayList<>();
        opened().sources.forEach(each -> head.add(JournalContent.sourceLine(each)));
        synchronized (done) {
            unwritten.clear();
            done.forEach(store -> head.add(JournalContent.doneLine(store)));
        }
        // Only the owner can read a temporary file, and the move keeps its permissions.
        Path temporary = Files.createTempFile(folder, FILE, TEMPORARY);
        FileChannel next;
        try {
            next = FileChannel.open(temporary, StandardOpenOption.WRITE);
            try {
                write(next, Stream.concat(head.stream(), lines(sums)));
                Files.move(temporary, folder.resolve(FILE), StandardCopyOption.ATOMIC_MOVE);
            } catch (IOException | RuntimeException | Error e) {
                closeQuietly(next);
                throw e;
            }
        } catch (IOException | RuntimeException | Error e) {
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
    void complete() throws IOException {
        if (folder != null && file != null) {
            Files.createFile(folder.resolve(CLOSED));
        }
    }

    @Override
    public void close() {
        closeQuietly(file);
        closeQuietly(lock);
        file = null;
        lock = null;
    }

    /** Locks the directory and reads the file. */
    private JournalContent read(Path directory, Runnable progress) throws IOException {
        disk.open(directory);
        FileChannel taken =
                FileChannel.open(directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        lock = taken;
        if (!isLocked(taken)) {
            throw new TakenException();
        }
        boolean clean = Files.deleteIfExists(directory.resolve(CLOSED));
        removeTemporary(directory);
        syncFolder(directory);
        return JournalContent.read(directory.resolve(FILE), clean, progress);
    }

    /** Another process has the lock. */
    private static final class TakenException extends IOException {

        private static final long serialVersionUID = 1;
    }

    /** Removes new files of runs that were killed while they replaced the journal. These files have keys of callers. */
    private static void removeTemporary(Path directory) throws IOException {
        try (DirectoryStream<Path> left = Files.newDirectoryStream(directory, FILE + "*" + TEMPORARY)) {
            for (Path each : left) {
                Files.deleteIfExists(each);
            }
        }
    }

    /** Writes lines in pieces, because all of them together may be large, and forces them to the disk. */
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

    private static boolean isLocked(FileChannel channel) throws IOException {
        try {
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            return false;
        }
    }

    /** Makes sure that the new name also survives a power failure. */
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
