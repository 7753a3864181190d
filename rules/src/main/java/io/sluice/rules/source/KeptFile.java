package io.sluice.rules.source;

import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.snapshot.RuleSetText;
import io.sluice.rules.snapshot.RuleStamp;
import io.sluice.rules.watch.RegularFile;
import io.sluice.rules.yaml.DocumentError;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/**
 * A rule set on disk, in the format of {@link RuleSetText}. The file is replaced atomically, so a reader sees either the old or
 * the new set. Not thread-safe.
 */
final class KeptFile {

    private static final String NAME = "kept-rules.json";
    private static final String TEMPORARY = "kept-rules-";
    private static final String TEMPORARY_END = ".tmp";
    private static final int MOST_BYTES = 256 * 1024 * 1024;

    private final Path folder;
    private final Path file;

    public KeptFile(Path folder) {
        this.folder = folder;
        this.file = folder.resolve(NAME);
    }

    /** The result of reading the file. */
    public sealed interface Reading {

        /** A rule set. */
        record Found(RuleSet rules) implements Reading {}

        /** There is no file. */
        record Nothing() implements Reading {}

        /** There is a file, but it has an error. */
        record Unusable(DocumentError error) implements Reading {}
    }

    public Path path() {
        return file;
    }

    /** Returns the stamp at the beginning of the file without reading the rest; empty if there is none. */
    public Optional<RuleStamp> stamp() {
        try (InputStream in = RegularFile.open(file)) {
            return RuleSetText.stamp(in.readNBytes(RuleSetText.LONGEST_HEAD));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    public Reading read() {
        try {
            if (Files.size(file) > MOST_BYTES) {
                return unusable("size: " + Files.size(file) + " bytes (expected: at most " + MOST_BYTES + ")");
            }
            RuleSetText.Reading reading = RuleSetText.read(file.toString(), RegularFile.bytes(file));
            return reading instanceof RuleSetText.Reading.Found found
                    ? new Reading.Found(found.rules())
                    : new Reading.Unusable(
                            ((RuleSetText.Reading.Unusable) reading).errors().get(0));
        } catch (NoSuchFileException e) {
            return new Reading.Nothing();
        } catch (IOException e) {
            return unusable("file: unreadable (expected: a file this user may read)");
        }
    }

    /** Returns whether the file contains the set with this stamp, undamaged. */
    public boolean holds(RuleStamp stamp) {
        try {
            if (!stamp().equals(Optional.of(stamp)) || Files.size(file) > MOST_BYTES) {
                return false;
            }
            return RuleSetText.holds(RegularFile.bytes(file), stamp);
        } catch (IOException e) {
            return false;
        }
    }

    /** Replaces the file. Afterwards either the whole new file or still the old file is on disk. */
    public void write(RuleSet rules) throws IOException {
        if (!Files.isDirectory(folder)) {
            Files.createDirectories(folder);
        }
        Path temporary = Files.createTempFile(folder, TEMPORARY, TEMPORARY_END);
        try (FileChannel channel = FileChannel.open(temporary, StandardOpenOption.WRITE)) {
            isLocked(channel);
            write(rules, channel);
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(temporary);
        }
        sync(folder);
    }

    /** Removes temporary files of processes that ended while writing. Files that are being written right now stay. */
    public void sweep() {
        try (DirectoryStream<Path> left = Files.newDirectoryStream(folder, TEMPORARY + "*" + TEMPORARY_END)) {
            for (Path temporary : left) {
                try (FileChannel channel = FileChannel.open(temporary, StandardOpenOption.WRITE)) {
                    if (isLocked(channel)) {
                        Files.deleteIfExists(temporary);
                    }
                }
            }
        } catch (IOException e) {
            // The temporary files take space but do no harm. The next start tries again.
        }
    }

    private static void write(RuleSet rules, FileChannel channel) throws IOException {
        OutputStream out = new BufferedOutputStream(Channels.newOutputStream(channel), 1 << 16);
        try {
            RuleSetText.write(rules, text -> {
                try {
                    out.write(text.getBytes(StandardCharsets.UTF_8));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            out.flush();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        channel.force(true);
    }

    /**
     * Tries to lock the file until the channel is closed. If locks have no effect between processes, a start may remove a file
     * that another process is writing.
     */
    private static boolean isLocked(FileChannel channel) {
        try {
            return channel.tryLock() != null;
        } catch (IOException | OverlappingFileLockException e) {
            return false;
        }
    }

    /** Ensures that the new name also survives a power failure. */
    private static void sync(Path folder) {
        try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
        } catch (IOException e) {
            // Not every system supports this. The old set is also valid.
        }
    }

    private Reading unusable(String message) {
        return new Reading.Unusable(DocumentError.of(file.toString(), message));
    }
}
