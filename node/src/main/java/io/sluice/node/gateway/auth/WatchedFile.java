package io.sluice.node.gateway.auth;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a file says, read again when it changes and taken when two looks in a row see the same: a file that is being written is never
 * taken half. If it becomes unreadable, what it said last stays. Read by many threads, looked at by one.
 */
final class WatchedFile<T> {

    private static final Logger LOG = LoggerFactory.getLogger(WatchedFile.class);
    private static final int LARGEST = 16 * 1024 * 1024;

    private final Path path;
    private final Reader<T> reader;
    private volatile T latest;
    private volatile String fault = "";
    private byte[] judged;
    private byte[] seen;

    @FunctionalInterface
    interface Reader<T> {
        T read(String text) throws AuthUnreadableException;
    }

    private WatchedFile(Path path, Reader<T> reader) throws AuthUnreadableException {
        this.path = path;
        this.reader = reader;
        this.judged = bytes(path);
        this.seen = judged;
        this.latest = reader.read(text(judged));
    }

    /** Reads it; refuses to begin with one that is bad. */
    static <T> WatchedFile<T> open(Path path, Reader<T> reader) throws AuthUnreadableException {
        return new WatchedFile<>(path, reader);
    }

    T latest() {
        return latest;
    }

    /** What is wrong with it at the moment; empty if nothing is. */
    String fault() {
        return fault;
    }

    /** Looks whether it has changed. */
    void look() {
        try {
            byte[] now = bytes(path);
            boolean settled = Arrays.equals(now, seen);
            seen = now;
            if (settled && Arrays.equals(now, judged)) {
                fault = "";
            } else if (settled) {
                latest = reader.read(text(now));
                judged = now;
                fault = "";
                LOG.info("keys changed: {}", path);
            }
        } catch (AuthUnreadableException e) {
            String message = String.valueOf(e.getMessage());
            if (!message.equals(fault)) {
                LOG.warn("keys unusable, the last ones stay in use: {}", message);
            }
            fault = message;
        }
    }

    private static byte[] bytes(Path path) throws AuthUnreadableException {
        try (InputStream in = Files.newInputStream(path)) {
            byte[] bytes = in.readNBytes(LARGEST + 1);
            if (bytes.length > LARGEST) {
                throw new AuthUnreadableException(path + ": too large (expected: at most " + LARGEST + " bytes)");
            }
            return bytes;
        } catch (IOException e) {
            throw new AuthUnreadableException(
                    path + ": " + e.getClass().getSimpleName() + " (expected: a readable file)");
        }
    }

    private String text(byte[] bytes) throws AuthUnreadableException {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new AuthUnreadableException(path + ": not UTF-8 (expected: UTF-8)");
        }
    }
}
