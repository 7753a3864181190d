package io.sluice.replay.log;

import com.github.luben.zstd.ZstdInputStream;
import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/**
 * A log to read: a file, or standard input under the name {@code -}. Content compressed by gzip or zstd is recognised by its first bytes,
 * not by its name.
 */
public abstract sealed class LogInput {

    private static final int BUFFER = 65_536;
    private static final String RECORDED = ".requests.jsonl";

    /** The maximum depth of directories in each other. */
    private static final int DEEPEST = 4;

    private static final int GZIP = 0x1f8b;
    private static final int ZSTD = 0x28b52ffd;

    private final String name;

    private LogInput(String name) {
        this.name = name;
    }

    /** Returns the requests that nodes recorded in a directory, or in directories in it; empty if there are none. */
    public static List<LogInput> recordedIn(Path directory) throws IOException {
        try (Stream<Path> found = Files.walk(directory, DEEPEST)) {
            return found.filter(file ->
                            file.toString().endsWith(RECORDED) && Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS))
                    .sorted()
                    .map(LogInput::of)
                    .toList();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /** Returns the content of a file. */
    public static LogInput of(Path file) {
        return new LogFile(file);
    }

    /** Returns content that can be read once. */
    public static LogInput once(String name, InputStream content) {
        return new OneStream(name, content);
    }

    /** Returns the name in messages. */
    public String name() {
        return name;
    }

    /** Returns the number of bytes, as they are stored; -1 if that is unknown. */
    abstract long size() throws IOException;

    /** Returns whether the log can be opened again. */
    abstract boolean isRepeatable();

    abstract InputStream raw() throws IOException;

    /**
     * Opens the content, decompressed. The stream supports marks.
     *
     * @param bytesRead counts the bytes as they are stored
     */
    InputStream open(LongAdder bytesRead) throws IOException {
        InputStream raw = raw();
        try {
            return new BufferedInputStream(
                    decompressed(new BufferedInputStream(new Counted(raw, bytesRead), BUFFER)), BUFFER);
        } catch (IOException e) {
            raw.close();
            throw e;
        }
    }

    private static InputStream decompressed(InputStream in) throws IOException {
        in.mark(4);
        byte[] first = in.readNBytes(4);
        in.reset();
        if (first.length < 4) {
            return in;
        }
        int magic = ByteBuffer.wrap(first).getInt();
        if (magic >>> 16 == GZIP) {
            return new GZIPInputStream(in, BUFFER);
        }
        return magic == ZSTD ? new ZstdInputStream(in) : in;
    }

    private static final class LogFile extends LogInput {

        private final Path file;

        LogFile(Path file) {
            super(file.toString());
            this.file = file;
        }

        @Override
        long size() throws IOException {
            return Files.isRegularFile(file) ? Files.size(file) : -1;
        }

        @Override
        boolean isRepeatable() {
            return Files.isRegularFile(file);
        }

        @Override
        InputStream raw() throws IOException {
            return Files.newInputStream(file);
        }
    }

    private static final class OneStream extends LogInput {

        private final InputStream content;

        OneStream(String name, InputStream content) {
            super(name);
            this.content = content;
        }

        @Override
        long size() {
            return -1;
        }

        @Override
        boolean isRepeatable() {
            return false;
        }

        @Override
        InputStream raw() {
            return content;
        }
    }

    private static final class Counted extends FilterInputStream {

        private final LongAdder bytesRead;

        Counted(InputStream in, LongAdder bytesRead) {
            super(in);
            this.bytesRead = bytesRead;
        }

        @Override
        public int read() throws IOException {
            int read = in.read();
            bytesRead.add(read < 0 ? 0 : 1);
            return read;
        }

        @Override
        public int read(byte[] into, int from, int length) throws IOException {
            int read = in.read(into, from, length);
            bytesRead.add(Math.max(0, read));
            return read;
        }
    }
}
