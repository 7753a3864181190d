package io.sluice.center.sink;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Appends lines to a file, and renames the file when it is large. Lines are on the disk when a call returns. */
final class FileSink implements Sink {

    private final Path path;
    private final long maxBytes;
    private final int keep;
    private @Nullable FileChannel channel;
    private @Nullable Object identity;

    FileSink(AuditSink.File settings) {
        this.path = settings.path();
        this.maxBytes = settings.maxBytes();
        this.keep = settings.keep();
    }

    @Override
    public void send(List<SinkMessage> messages) throws IOException {
        try {
            FileChannel out = opened();
            long size = out.size();
            ByteArrayOutputStream lines = new ByteArrayOutputStream();
            for (SinkMessage message : messages) {
                byte[] line = message.bytes(Integer.MAX_VALUE);
                long before = size + lines.size();
                if (before > 0 && before + line.length + 1 > maxBytes) {
                    write(out, lines);
                    putAside();
                    out = opened();
                    size = out.size();
                }
                lines.write(line);
                lines.write('\n');
            }
            write(out, lines);
        } catch (IOException e) {
            throw new IOException(path + " cannot be written: " + e, e);
        }
    }

    @Override
    public synchronized void disconnect() {
        FileChannel open = channel;
        channel = null;
        if (open != null) {
            try {
                open.close();
            } catch (IOException e) {
                // Every line was forced to the disk before.
            }
        }
    }

    private static void write(FileChannel out, ByteArrayOutputStream lines) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(lines.toByteArray());
        while (bytes.hasRemaining()) {
            int unused = out.write(bytes);
        }
        out.force(false);
        lines.reset();
    }

    /** Returns the file under the path, which another program may have renamed. */
    private synchronized FileChannel opened() throws IOException {
        FileChannel open = channel;
        if (open != null && Objects.equals(identity, identity())) {
            return open;
        }
        disconnect();
        if (Files.exists(path) && !Files.isRegularFile(path)) {
            throw new IOException("not a file");
        }
        open = FileChannel.open(
                path,
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.APPEND),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        channel = open;
        identity = identity();
        if (!endsWithALine(open.size())) {
            // The incomplete line will be sent again.
            int unused = open.write(ByteBuffer.wrap(new byte[] {'\n'}));
        }
        return open;
    }

    private boolean endsWithALine(long size) throws IOException {
        if (size == 0) {
            return true;
        }
        try (FileChannel in = FileChannel.open(path, StandardOpenOption.READ)) {
            ByteBuffer last = ByteBuffer.allocate(1);
            return in.read(last, size - 1) == 1 && last.get(0) == '\n';
        }
    }

    private @Nullable Object identity() throws IOException {
        try {
            return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    private void putAside() throws IOException {
        disconnect();
        if (keep == 0) {
            Files.deleteIfExists(path);
            return;
        }
        for (int i = keep - 1; i >= 1; i--) {
            if (Files.exists(aside(i))) {
                Files.move(aside(i), aside(i + 1), StandardCopyOption.REPLACE_EXISTING);
            }
        }
        Files.move(path, aside(1), StandardCopyOption.REPLACE_EXISTING);
    }

    private Path aside(int number) {
        return path.resolveSibling(path.getFileName() + "." + number);
    }
}
