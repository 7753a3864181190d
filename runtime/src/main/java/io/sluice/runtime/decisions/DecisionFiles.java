package io.sluice.runtime.decisions;

import io.sluice.core.time.Clock;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.caller.SubjectKeys;
import io.sluice.runtime.erasure.ErasableStore;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes decisions to files of a directory, one JSON object per line. A new file starts when the current file is full, and with each day
 * (in UTC). Another thread compresses finished files, and deletes them when they are too old or too many. Thread-safe.
 *
 * <p>If a file cannot be written, for example because the disk is full, lines are dropped and counted. Each batch of lines makes a new
 * attempt. The lock file keeps other processes out of the directory.
 */
final class DecisionFiles implements DecisionPlace, ErasableStore {

    private static final Logger LOG = LoggerFactory.getLogger(DecisionFiles.class);
    private static final String LOCK = "decisions.lock";
    private static final int MOST_BUFFERED = 256 << 10;
    private static final int MOST_NAMES = 100_000;
    private static final long TIDY_EVERY_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final long ERASURE_WAITS_SECONDS = 10;

    private final DecisionSettings.Files settings;
    private final Clock clock;
    private final PlaceCounts counts;
    private final LogFile.Opener opener;
    private final DecisionArchive archive;
    private final Executor tidying;
    private final FileChannel lockFile;
    private final Supplier<String> keyMark;
    private String knownMark = "";
    private long keySince;
    private final ReentrantLock lock = new ReentrantLock();

    /** Written under the lock, before the file exists. */
    private volatile @Nullable LogFileName name;

    // Guarded by lock.
    private @Nullable LogFile current;
    private long size;
    private boolean failing;
    private boolean closed;
    private long tidiedNanos;

    DecisionFiles(
            DecisionSettings.Files settings,
            Clock clock,
            PlaceCounts counts,
            Supplier<String> keyMark,
            LogFile.Opener opener,
            Executor tidying) {
        this.settings = settings;
        this.clock = clock;
        this.counts = counts;
        this.opener = opener;
        this.tidying = tidying;
        this.archive = new DecisionArchive(settings, () -> name);
        this.lockFile = locked(settings.directory());
        this.keyMark = keyMark;
        learnKey();
        this.tidiedNanos = clock.nanoTime();
        tidy();
    }

    /**
     * Takes possession of a directory, and repairs files that a crash left incomplete.
     *
     * @throws IllegalArgumentException if the directory cannot be used, or another process uses it
     */
    static DecisionFiles open(DecisionSettings.Files settings, Clock clock, PlaceCounts counts, KeySettings keys) {
        // If the thread is busy, the next minute tidies up.
        ThreadPoolExecutor one = new ThreadPoolExecutor(0, 1, 5, TimeUnit.SECONDS, new SynchronousQueue<>(), task -> {
            Thread thread = new Thread(task, "sluice-decisions-tidy");
            thread.setDaemon(true);
            return thread;
        });
        return new DecisionFiles(settings, clock, counts, () -> KeyNotes.mark(keys), LogFile::create, one);
    }

    /** The key may be replaced while the process runs, by a key that is shared with other processes. */
    private void learnKey() {
        lock.lock();
        try {
            String mark = keyMark.get();
            if (!mark.equals(knownMark)) {
                keySince = keySince(mark);
                knownMark = mark;
            }
        } finally {
            lock.unlock();
        }
    }

    private long keySince(String mark) {
        long now = Math.floorDiv(clock.epochMicros(), TimeUnit.SECONDS.toMicros(1));
        try {
            return KeyNotes.since(lockFile, mark, now);
        } catch (IOException e) {
            LOG.warn("{} cannot be written; erasures will find only decisions since this start", LOCK, e);
            return now;
        }
    }

    private static FileChannel locked(Path folder) {
        FileChannel channel;
        try {
            LogFile.createFolder(folder);
            channel = LogFile.channel(folder.resolve(LOCK), StandardOpenOption.CREATE);
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    "decisions.dir: " + folder + " (expected: a directory that this user may write to)", e);
        }
        try {
            FileLock lock = channel.tryLock();
            if (lock != null) {
                return channel;
            }
        } catch (IOException | OverlappingFileLockException e) {
            // Reported below.
        }
        try {
            channel.close();
        } catch (IOException e) {
            // No line was written to it.
        }
        throw new IllegalArgumentException("decisions.dir: " + folder
                + " is in use by another process (expected: a directory of this process alone)");
    }

    @Override
    public void write(List<byte[]> lines) {
        lock.lock();
        try {
            ByteArrayOutputStream together = new ByteArrayOutputStream();
            int count = 0;
            for (byte[] line : lines) {
                long after = size + together.size() + line.length;
                if (count > 0 && (together.size() + line.length > MOST_BUFFERED || after > settings.maxSize())) {
                    append(together.toByteArray(), count);
                    together.reset();
                    count = 0;
                }
                together.writeBytes(line);
                count++;
            }
            if (count > 0) {
                append(together.toByteArray(), count);
            }
        } finally {
            lock.unlock();
        }
    }

    private void append(byte[] lines, int count) {
        try {
            if (closed) {
                throw new IOException("the log is closed");
            }
            prepare(lines.length);
            LogFile open = current;
            if (open == null) {
                throw new IOException("no file");
            }
            open.append(lines);
            size += lines.length;
            counts.addLogged(count);
            if (failing) {
                failing = false;
                LOG.info("decisions are written to {} again", settings.directory());
            }
        } catch (IOException e) {
            counts.addDropped(count);
            abandon();
            if (!failing) {
                failing = true;
                LOG.warn(
                        "decisions cannot be written to {} ({}); they are dropped and counted until that changes",
                        settings.directory(),
                        e.toString());
            }
        }
    }

    private void prepare(int more) throws IOException {
        long now = clock.epochMicros();
        LogFileName open = name;
        if (open != null
                && ((size > 0 && size + more > settings.maxSize())
                        || open.day() != Math.floorDiv(now, TimeUnit.DAYS.toMicros(1))
                        || !Files.exists(settings.directory().resolve(open.toString())))) {
            finish();
            tidy();
        }
        if (current == null) {
            LogFile.createFolder(settings.directory());
            begin(Math.floorDiv(now, TimeUnit.SECONDS.toMicros(1)));
        }
    }

    private void begin(long second) throws IOException {
        for (int number = 1; number <= MOST_NAMES; number++) {
            LogFileName next = new LogFileName(second, number, false);
            Path packed = settings.directory().resolve(new LogFileName(second, number, true).toString());
            if (Files.exists(packed)) {
                continue;
            }
            try {
                name = next;
                current = opener.open(settings.directory().resolve(next.toString()));
                size = 0;
                return;
            } catch (FileAlreadyExistsException e) {
                // Try the next number.
            } finally {
                if (current == null) {
                    name = null;
                }
            }
        }
        throw new IOException("too many files of one second");
    }

    /** The next lines start a new file, because this file may end with half a line. */
    private void abandon() {
        LogFileName last = name;
        boolean empty = size == 0;
        finish();
        if (last != null && empty) {
            try {
                Files.deleteIfExists(settings.directory().resolve(last.toString()));
            } catch (IOException e) {
                LOG.debug("an empty file of decisions was not deleted", e);
            }
        }
    }

    private void finish() {
        LogFile open = current;
        current = null;
        name = null;
        size = 0;
        if (open != null) {
            try {
                open.close();
            } catch (IOException e) {
                LOG.debug("a file of decisions was not closed cleanly", e);
            }
        }
    }

    @Override
    public void tick() {
        lock.lock();
        try {
            LogFileName open = name;
            boolean over = open != null && open.day() != Math.floorDiv(clock.epochMicros(), TimeUnit.DAYS.toMicros(1));
            if (over) {
                finish();
            }
            if (over || clock.nanoTime() - tidiedNanos >= TIDY_EVERY_NANOS) {
                tidy();
            }
        } finally {
            lock.unlock();
        }
    }

    private void tidy() {
        learnKey();
        tidiedNanos = clock.nanoTime();
        try {
            tidying.execute(() -> archive.tidy(clock.epochMicros() / 1_000));
        } catch (RejectedExecutionException e) {
            // Tidying is already running.
        }
    }

    @Override
    public String kind() {
        return "decisions";
    }

    /** Starts a new file, so that the lines of the current file can be removed as well. */
    @Override
    public Attempt erase(String erasure, SubjectKeys keys) throws IOException {
        boolean free;
        try {
            free = lock.tryLock(ERASURE_WAITS_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            free = false;
        }
        if (!free) {
            return Attempt.unfinished(
                    0, "the disk with the decision log does not answer, or this machine is overloaded");
        }
        try {
            finish();
        } finally {
            lock.unlock();
        }
        DecisionArchive.Erased erased = archive.erase(new HashSet<>(keys.hashes()));
        return erased.unreadable() == 0
                ? Attempt.done(erased.removed())
                : Attempt.unfinished(
                        erased.removed(),
                        "files of the decision log cannot be read or replaced: " + erased.unreadable());
    }

    @Override
    public List<String> unsearchable() {
        learnKey();
        int files;
        try {
            files = archive.begunBefore(keySince);
        } catch (IOException e) {
            return List.of("the decision log cannot be read");
        }
        return files == 0
                ? List.of()
                : List.of("lines of the decision log from before " + Instant.ofEpochSecond(keySince)
                        + " have hashes of another key and cannot be found; they go with the retention of the log (files: "
                        + files + ")");
    }

    @Override
    public void close() {
        lock.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            finish();
            archive.close();
            lockFile.close();
        } catch (IOException e) {
            LOG.debug("the lock of the decision log was not released cleanly", e);
        } finally {
            lock.unlock();
        }
    }
}
