package io.sluice.node.gateway.auth;

import io.sluice.rules.watch.ContentRefusedException;
import io.sluice.rules.watch.FileWatch;
import io.sluice.rules.watch.Looks;
import io.sluice.rules.watch.RegularFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The content of a file of keys, watched as described in {@link FileWatch}. Thread-safe. */
public final class WatchedFile<T> implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(WatchedFile.class);
    private static final int LARGEST = 16 * 1024 * 1024;

    private final Path path;
    private final Reader<T> reader;
    private final FileWatch<ByteBuffer> watch;
    private volatile T latest;

    @FunctionalInterface
    public interface Reader<T> {
        T read(String text) throws AuthUnreadableException;
    }

    private WatchedFile(Path path, Reader<T> reader, Looks looks) throws AuthUnreadableException {
        this.path = path;
        this.reader = reader;
        ByteBuffer begun = bytes(path);
        this.latest = reader.read(text(path, begun));
        this.watch = FileWatch.begin(path.toString(), begun, this::readAgain, new InUse(), looks);
    }

    /** Reads the file and watches it. Throws if the initial content is bad. */
    public static <T> WatchedFile<T> open(Path path, Reader<T> reader, Looks looks) throws AuthUnreadableException {
        return new WatchedFile<>(path, reader, looks);
    }

    public T latest() {
        return latest;
    }

    /** Returns the current problem with the file; empty if there is none. */
    public String fault() {
        return String.join("; ", watch.refused());
    }

    @Override
    public void close() {
        watch.close();
    }

    private ByteBuffer readAgain(ByteBuffer last) throws ContentRefusedException {
        try {
            return bytes(path);
        } catch (AuthUnreadableException e) {
            throw refusal(e);
        }
    }

    private static ContentRefusedException refusal(AuthUnreadableException why) {
        return new ContentRefusedException(String.valueOf(why.getMessage()));
    }

    private static ByteBuffer bytes(Path path) throws AuthUnreadableException {
        try (InputStream in = RegularFile.open(path)) {
            byte[] bytes = in.readNBytes(LARGEST + 1);
            if (bytes.length > LARGEST) {
                throw new AuthUnreadableException(path + ": too large (expected: at most " + LARGEST + " bytes)");
            }
            return ByteBuffer.wrap(bytes);
        } catch (IOException e) {
            throw new AuthUnreadableException(path + ": " + RegularFile.problem(e));
        }
    }

    private static String text(Path path, ByteBuffer bytes) throws AuthUnreadableException {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(bytes.duplicate()).toString();
        } catch (CharacterCodingException e) {
            throw new AuthUnreadableException(path + ": not UTF-8 (expected: UTF-8)");
        }
    }

    private final class InUse implements FileWatch.Follower<ByteBuffer> {

        @Override
        public void take(ByteBuffer content) throws ContentRefusedException {
            try {
                latest = reader.read(text(path, content));
            } catch (AuthUnreadableException e) {
                throw refusal(e);
            }
            LOG.info("keys changed: {}", path);
        }

        @Override
        public void refuse(List<String> reasons) {
            LOG.warn("keys unusable, the last good ones stay in use: {}", reasons.get(0));
        }

        @Override
        public void settle() {
            LOG.info("keys usable again: {}", path);
        }
    }
}
