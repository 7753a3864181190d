package io.sluice.center.database;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/** The directory in which a center stores its files. Only one center uses it at a time. */
public final class DataDirectory implements AutoCloseable {

    private final Path path;
    private final FileChannel channel;

    private DataDirectory(Path path, FileChannel channel) {
        this.path = path;
        this.channel = channel;
    }

    /** Creates the directory if needed and locks it for this process. */
    public static DataDirectory open(Path path) throws DatabaseUnusableException {
        try {
            Files.createDirectories(path);
            FileChannel channel =
                    FileChannel.open(path.resolve("center.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            if (lock(channel) == null) {
                channel.close();
                throw new DatabaseUnusableException(
                        "data: " + path
                                + " is used by another center (expected: a directory for each center; stop the other, or use --data)");
            }
            return new DataDirectory(path, channel);
        } catch (IOException e) {
            throw new DatabaseUnusableException(
                    "data: " + path + " cannot be used: " + e + " (expected: a directory with write access)");
        }
    }

    public Path path() {
        return path;
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            // The lock ends with the process.
        }
    }

    private static @Nullable FileLock lock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException e) {
            return null;
        }
    }
}
