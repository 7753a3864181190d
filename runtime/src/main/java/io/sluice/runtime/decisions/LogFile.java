package io.sluice.runtime.decisions;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** A new file to which lines are appended. Only its owner can read it. Not thread-safe. */
interface LogFile extends Closeable {

    /** Appends all bytes, or throws an exception and restores the file, if the disk allows it. */
    void append(byte[] bytes) throws IOException;

    /** Creates a file that did not exist. */
    interface Opener {
        LogFile open(Path file) throws IOException;
    }

    /** Creates a file on disk. */
    static LogFile create(Path file) throws IOException {
        FileChannel channel = channel(file, StandardOpenOption.CREATE_NEW);
        return new LogFile() {
            @Override
            public void append(byte[] bytes) throws IOException {
                long before = channel.size();
                try {
                    ByteBuffer rest = ByteBuffer.wrap(bytes);
                    while (rest.hasRemaining()) {
                        int unused = channel.write(rest);
                    }
                } catch (IOException e) {
                    channel.truncate(before).position(before);
                    throw e;
                }
            }

            @Override
            public void close() throws IOException {
                try (channel) {
                    channel.force(true);
                }
            }
        };
    }

    /** Opens a file that only its owner can read. */
    static FileChannel channel(Path file, OpenOption how) throws IOException {
        return FileChannel.open(
                file, Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, how), attributes(file, "rw-------"));
    }

    /** Returns the permissions that only the owner gets, on file systems that know owners. */
    static FileAttribute<?>[] attributes(Path file, String allowed) {
        return file.getFileSystem().supportedFileAttributeViews().contains("posix")
                ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(allowed))
                }
                : new FileAttribute<?>[0];
    }

    /** Creates a directory that only its owner can read, unless it already exists. */
    static void createFolder(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            Path real = folder.toAbsolutePath();
            Files.createDirectories(real, attributes(real, "rwx------"));
        }
    }
}
