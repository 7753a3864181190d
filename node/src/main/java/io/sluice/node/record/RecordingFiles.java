package io.sluice.node.record;

import io.sluice.core.history.GapEvent;
import io.sluice.core.history.HistoryEvent;
import io.sluice.core.time.Clock;
import io.sluice.history.HistoryFile;
import io.sluice.node.config.RecordingSettings;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of a recording: two at a time, one with the steps on counts and one with the requests. The next two start when these are full
 * or old. The oldest are deleted when all files together are too many or too old.
 *
 * <p>No method throws because of the disk. If a file cannot be written, it is closed after its last whole line, the lost events are
 * counted, and once a second the next two files are tried. They start with the gap. Not thread-safe, except {@link #current} and the
 * counts.
 */
final class RecordingFiles {

    private static final Logger LOG = LoggerFactory.getLogger(RecordingFiles.class);

    /** The maximum number of names of counts in a file. More names would need too much memory. */
    private static final int MOST_COUNTS = 200_000;

    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long SECOND_MICROS = TimeUnit.SECONDS.toMicros(1);

    private final RecordingSettings settings;
    private final String node;
    private final String run;
    private final HistoryFile.Names names;
    private final Clock clock;
    private final LongAdder recorded = new LongAdder();
    private final LongAdder lost = new LongAdder();

    private long number;
    private @Nullable HistoryFile history;
    private @Nullable RequestFile requests;
    private volatile @Nullable RecordingName current;
    private long begunMicros;

    /** The number of events that the disk did not accept since the last gap was written. */
    private long missing;

    private boolean failing;
    private long retryNanos;

    /**
     * Creates the files of one run.
     *
     * @param node the name of the process
     * @param run eight hexadecimal digits, different for each run
     */
    RecordingFiles(RecordingSettings settings, String node, String run, HistoryFile.Names names, Clock clock) {
        this.settings = settings;
        this.node = node;
        this.run = run;
        this.names = names;
        this.clock = clock;
        this.retryNanos = clock.nanoTime();
    }

    /** Returns the number of events and requests that were added to files. Those that wait in memory may still be {@link #lost}. */
    long recorded() {
        return recorded.sum();
    }

    /** Returns the number of events and requests that the disk did not accept. */
    long lost() {
        return lost.sum();
    }

    /** Returns the name of the files that are being written; empty if there are none. */
    Optional<RecordingName> current() {
        return Optional.ofNullable(current);
    }

    void event(HistoryEvent event) {
        write(() -> {
            file().write(event);
            recorded.increment();
        });
    }

    void request(byte[] line) {
        write(() -> {
            lines().write(line);
            recorded.increment();
        });
    }

    /** Records that events are missing here, because they found no room on the way. */
    void gap(long events) {
        write(() -> file().write(new GapEvent(events, clock.epochMicros())));
    }

    /** Makes the added events readable. */
    void flush() {
        attempt(() -> {
            if (history != null && requests != null) {
                history.flush();
                requests.flush();
            }
        });
    }

    /** Starts the next files if these are old, and deletes the oldest. Called roughly once a second. */
    void tick() {
        if (history != null && clock.epochMicros() - begunMicros >= TimeUnit.MICROSECONDS.convert(settings.maxAge())) {
            next();
        }
        if (history == null) {
            attempt(this::open);
        }
        attempt(() -> tidy(0));
    }

    /** Ends the current files. The next event starts new ones. */
    void next() {
        attempt(() -> {
            HistoryFile open = history;
            if (open != null && requests != null) {
                requests.flush();
                open.next();
                done();
            }
        });
    }

    /** Ends the recording. This is the last opportunity to record missing events. */
    void end() {
        if (history == null && missing > 0) {
            retryNanos = clock.nanoTime();
            attempt(this::open);
        }
        attempt(() -> {
            HistoryFile open = history;
            if (open != null && requests != null) {
                requests.flush();
                open.end(missing);
                done();
            }
        });
    }

    private void done() throws IOException {
        history = null;
        current = null;
        RequestFile lines = requests;
        requests = null;
        if (lines != null) {
            lines.close();
        }
    }

    private interface Writing {
        void run() throws IOException;
    }

    private void write(Writing writing) {
        if (history == null) {
            attempt(this::open);
        }
        if (history == null) {
            miss(1);
            return;
        }
        attempt(writing);
        attempt(() -> {
            HistoryFile open = history;
            if (open != null
                    && requests != null
                    && (open.size() + requests.size() >= settings.maxSize() || open.counts() > MOST_COUNTS)) {
                next();
            }
        });
    }

    private HistoryFile file() throws IOException {
        HistoryFile open = history;
        if (open == null) {
            throw new IOException("no file");
        }
        return open;
    }

    private RequestFile lines() throws IOException {
        RequestFile open = requests;
        if (open == null) {
            throw new IOException("no file");
        }
        return open;
    }

    private void attempt(Writing writing) {
        try {
            writing.run();
        } catch (IOException e) {
            abandon(e);
        }
    }

    private void miss(long events) {
        missing += events;
        lost.add(events);
    }

    /** Closes files that cannot be written. */
    private void abandon(IOException why) {
        HistoryFile open = history;
        RequestFile lines = requests;
        miss((open == null ? 0 : open.waiting()) + (lines == null ? 0 : lines.waiting()));
        history = null;
        requests = null;
        current = null;
        retryNanos = clock.nanoTime() + RETRY_NANOS;
        if (!failing) {
            failing = true;
            LOG.warn(
                    "the recording in {} cannot be written ({}); what happens meanwhile is missing in it",
                    settings.directory(),
                    why.toString());
        }
        try {
            if (open != null) {
                open.close();
            }
            if (lines != null) {
                lines.close();
            }
        } catch (IOException e) {
            LOG.debug("a file of the recording was not closed cleanly", e);
        }
    }

    private void open() throws IOException {
        if (failing && clock.nanoTime() - retryNanos < 0) {
            return;
        }
        createFolder(settings.directory());
        tidy(settings.maxSize());
        begunMicros = clock.epochMicros();
        RecordingName name = new RecordingName(Math.floorDiv(begunMicros, SECOND_MICROS), run, number + 1);
        current = name;
        requests = new RequestFile(name.requests(settings.directory()));
        history = HistoryFile.create(
                name.history(settings.directory()), new HistoryFile.Part(node, run, name.number(), begunMicros), names);
        number++;
        if (missing > 0) {
            history.write(new GapEvent(missing, begunMicros));
            history.flush();
            missing = 0;
        }
        if (failing) {
            failing = false;
            LOG.info("the recording in {} is written again", settings.directory());
        }
    }

    /** Creates a directory that only its owner can read, unless it already exists. */
    static void createFolder(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            Path real = folder.toAbsolutePath();
            FileAttribute<?>[] ownerOnly =
                    real.getFileSystem().supportedFileAttributeViews().contains("posix")
                            ? new FileAttribute<?>[] {
                                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"))
                            }
                            : new FileAttribute<?>[0];
            Files.createDirectories(real, ownerOnly);
        }
    }

    /** Returns the files of all recordings in a directory, the oldest first. */
    static Map<RecordingName, List<Path>> files(Path folder) throws IOException {
        Map<RecordingName, List<Path>> all = new TreeMap<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                RecordingName.of(file).ifPresent(name -> all.computeIfAbsent(name, unknown -> new ArrayList<>())
                        .add(file));
            }
        }
        return all;
    }

    /**
     * Deletes the oldest files.
     *
     * @param room the number of bytes to leave for other files
     */
    private void tidy(long room) throws IOException {
        Map<RecordingName, List<Path>> all = files(settings.directory());
        long total = room;
        for (List<Path> files : all.values()) {
            for (Path file : files) {
                total += size(file);
            }
        }
        long now = Math.floorDiv(clock.epochMicros(), SECOND_MICROS);
        long oldest = now - settings.keep().toSeconds() - settings.maxAge().toSeconds();
        for (Map.Entry<RecordingName, List<Path>> each : all.entrySet()) {
            if (each.getKey().equals(current)
                    || (total <= settings.maxTotal() && each.getKey().begun() >= oldest)) {
                continue;
            }
            for (Path file : each.getValue()) {
                total -= size(file);
                Files.deleteIfExists(file);
            }
        }
    }

    private static long size(Path file) throws IOException {
        try {
            return Files.size(file);
        } catch (NoSuchFileException e) {
            return 0;
        }
    }
}
