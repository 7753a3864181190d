package io.sluice.center.database;

import io.sluice.core.time.Clock;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Copies of the database in files, created while the center runs. Thread-safe. */
public final class Backups {

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss").withZone(ZoneOffset.UTC);

    private static final String ENDING = ".jsonl.gz";

    /** The number of files if none is ever removed. */
    private static final int ALL = Integer.MAX_VALUE;

    private final Database database;
    private final Path directory;
    private final Clock clock;
    private final int kept;

    /** Creates backups that are never removed. */
    public Backups(Database database, Path directory) {
        this(database, directory, Clock.system(), ALL);
    }

    /**
     * Creates backups.
     *
     * @param kept the number of files that remain after each new backup
     */
    public Backups(Database database, Path directory, Clock clock, int kept) {
        this.database = database;
        this.directory = directory;
        this.clock = clock;
        this.kept = kept;
    }

    /**
     * Saves everything and returns the file. A file with its final name is complete. If there are too many files, the oldest are removed.
     */
    public synchronized Path save(String name) throws DatabaseUnusableException {
        try {
            Files.createDirectories(directory);
            Path file = directory.resolve("center-" + TIME.format(now()) + "-" + name + ENDING);
            saveAs(file);
            prune();
            return file;
        } catch (IOException e) {
            throw new DatabaseUnusableException(
                    "backup in " + directory + ": " + e + "; free some space or check its permissions");
        }
    }

    /** Saves everything to a file that only its owner can read. The file gets its final name when it is complete. */
    public void saveAs(Path file) throws IOException {
        Path part = file.resolveSibling(file.getFileName() + ".part");
        write(part);
        Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Returns the time of the newest backup. */
    public Optional<Instant> newest() throws IOException {
        List<Path> files = files();
        return files.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        Files.getLastModifiedTime(files.get(files.size() - 1)).toInstant());
    }

    private void write(Path part) throws IOException {
        Files.deleteIfExists(part);
        Files.createFile(part, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        try (OutputStream out = Files.newOutputStream(part, StandardOpenOption.WRITE)) {
            new Dump(database).write(out);
        }
        try (FileChannel channel = FileChannel.open(part, StandardOpenOption.WRITE)) {
            channel.force(true);
        }
    }

    private void prune() throws IOException {
        List<Path> files = files();
        for (Path old : files.subList(0, Math.max(0, files.size() - kept))) {
            Files.delete(old);
        }
    }

    /** Returns the backups from the oldest to the newest. Their names start with the time, so they are sorted by name. */
    private List<Path> files() throws IOException {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        try (Stream<Path> all = Files.list(directory)) {
            return all.filter(file -> file.getFileName().toString().endsWith(ENDING))
                    .sorted(Comparator.comparing(file -> file.getFileName().toString()))
                    .toList();
        }
    }

    private Instant now() {
        return Instant.ofEpochMilli(clock.epochMicros() / 1000);
    }
}
