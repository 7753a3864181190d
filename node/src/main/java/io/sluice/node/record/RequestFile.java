package io.sluice.node.record;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** A new file of lines, which only its owner can read. Lines are collected and written together. Not thread-safe. */
final class RequestFile implements Closeable {

    private static final int FULL = 1 << 16;

    private final FileChannel channel;
    private final ByteArrayOutputStream waiting = new ByteArrayOutputStream();
    private long lines;
    private long good;

    RequestFile(Path file) throws IOException {
        FileAttribute<?>[] ownerOnly =
                file.getFileSystem().supportedFileAttributeViews().contains("posix")
                        ? new FileAttribute<?>[] {
                            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
                        }
                        : new FileAttribute<?>[0];
        channel = FileChannel.open(file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), ownerOnly);
    }

    /** Returns the number of bytes of the file, including those that are not written yet. */
    long size() {
        return good + waiting.size();
    }

    /** Returns the number of lines that are not written yet. */
    long waiting() {
        return lines;
    }

    void write(byte[] line) throws IOException {
        waiting.writeBytes(line);
        lines++;
        if (waiting.size() >= FULL) {
            flush();
        }
    }

    void flush() throws IOException {
        if (lines > 0) {
            ByteBuffer rest = ByteBuffer.wrap(waiting.toByteArray());
            while (rest.hasRemaining()) {
                int unused = channel.write(rest);
            }
            good += waiting.size();
            waiting.reset();
            lines = 0;
        }
    }

    /** Closes the file. Lines that are not written, or only in part, are dropped. */
    @Override
    public void close() throws IOException {
        if (channel.isOpen()) {
            try (channel) {
                channel.truncate(good);
            }
        }
    }
}
