package io.sluice.runtime.witness;

import io.sluice.rules.watch.RegularFile;
import java.io.IOException;
import java.io.InputStream;
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
import org.jspecify.annotations.Nullable;

/**
 * The checkpoint of a witness on disk. The file is replaced atomically, and only by a process that knows its content, so two processes
 * with one directory cannot lose a checkpoint. Only its owner can read it. Not thread-safe.
 */
final class WitnessFile {

    private static final String LOCK = HeldCheckpoint.FILE + ".lock";
    private static final String TEMPORARY = HeldCheckpoint.FILE + "-";
    private static final String TEMPORARY_END = ".tmp";

    private final Path folder;
    private final Path file;

    WitnessFile(Path folder) {
        this.folder = folder;
        this.file = folder.resolve(HeldCheckpoint.FILE);
    }

    /** The result of reading the file. */
    sealed interface Reading {

        /** A checkpoint. */
        record Found(HeldCheckpoint held) implements Reading {}

        /** There is no file. */
        record Nothing() implements Reading {}

        /** The file exists, but cannot be read or was damaged. */
        record Unusable(String why) implements Reading {}
    }

    Path path() {
        return file;
    }

    Reading read() {
        byte[] bytes;
        try (InputStream in = RegularFile.open(file)) {
            bytes = in.readNBytes(HeldCheckpoint.MOST_CHARACTERS + 1);
            if (bytes.length > HeldCheckpoint.MOST_CHARACTERS) {
                return new Reading.Unusable(
                        "damaged: too long (expected: at most " + HeldCheckpoint.MOST_CHARACTERS + " bytes)");
            }
        } catch (NoSuchFileException e) {
            return new Reading.Nothing();
        } catch (IOException e) {
            return new Reading.Unusable("unreadable (expected: a file that this user may read)");
        }
        try {
            // Each byte is one character, so a file that is not text causes no other kind of error.
            String text = new String(bytes, StandardCharsets.ISO_8859_1);
            return new Reading.Found(HeldCheckpoint.parse(text.strip()));
        } catch (IllegalArgumentException e) {
            return new Reading.Unusable("damaged: " + e.getMessage());
        }
    }

    /**
     * Replaces the file if it still has the content that the caller knows, or is missing. Returns false if another process uses the file;
     * the caller should read it and try again later. Afterwards either the whole new file is on disk, or the old one still is.
     */
    boolean replace(@Nullable HeldCheckpoint known, HeldCheckpoint next) throws IOException {
        if (!Files.isDirectory(folder)) {
            Files.createDirectories(folder);
        }
        try (FileChannel lock =
                FileChannel.open(folder.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            if (!isLocked(lock) || !isKnown(read(), known)) {
                return false;
            }
            sweep();
            write(next.toJson() + "\n");
        }
        sync();
        return true;
    }

    private static boolean isKnown(Reading reading, @Nullable HeldCheckpoint known) {
        return reading instanceof Reading.Nothing
                || (reading instanceof Reading.Found found && found.held().equals(known));
    }

    private void write(String text) throws IOException {
        // Only the owner can read a temporary file, and the move keeps its permissions.
        Path temporary = Files.createTempFile(folder, TEMPORARY, TEMPORARY_END);
        try (FileChannel channel = FileChannel.open(temporary, StandardOpenOption.WRITE)) {
            ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
            while (bytes.hasRemaining()) {
                int unused = channel.write(bytes);
            }
            channel.force(true);
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(temporary);
        }
    }

    /** Removes temporary files of processes that ended while writing. No other process writes while the lock is held. */
    private void sweep() throws IOException {
        try (DirectoryStream<Path> left = Files.newDirectoryStream(folder, TEMPORARY + "*" + TEMPORARY_END)) {
            for (Path temporary : left) {
                Files.deleteIfExists(temporary);
            }
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
    private void sync() {
        try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
        } catch (IOException e) {
            // Not every system supports this. The file itself is on disk.
        }
    }
}
