package io.sluice.rules.watch;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * Reads files that are polled. Links are followed. Directories, pipes, sockets and devices are never opened: opening a pipe blocks until
 * another process writes to it, so a pipe in the place of a file would stop its watch permanently.
 */
public final class RegularFile {

    private RegularFile() {}

    /** Thrown for a directory, a pipe, a socket or a device. */
    public static final class OtherKindException extends IOException {

        private static final long serialVersionUID = 1;

        OtherKindException() {
            super("not a regular file (expected: a regular file or a link to one)");
        }
    }

    /**
     * Opens a file.
     *
     * @throws OtherKindException if it is not a regular file
     */
    public static InputStream open(Path file) throws IOException {
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            throw new OtherKindException();
        }
        return Files.newInputStream(file);
    }

    /**
     * Returns the reason why a file cannot be read, in words. The message of the exception is not used, because it may be a path or contain
     * parts of the file.
     */
    public static String problem(IOException why) {
        if (why instanceof OtherKindException) {
            return String.valueOf(why.getMessage());
        }
        return (why instanceof NoSuchFileException
                        ? "not there"
                        : why instanceof AccessDeniedException ? "not readable for this user" : "cannot be read")
                + " (expected: a file this user may read)";
    }

    /** Returns the content of a file. */
    public static byte[] bytes(Path file) throws IOException {
        try (InputStream in = open(file)) {
            return in.readAllBytes();
        }
    }

    /** Returns the content of a file in UTF-8. Throws {@link java.nio.charset.CharacterCodingException} if it is not UTF-8. */
    public static String text(Path file) throws IOException {
        return StandardCharsets.UTF_8
                .newDecoder()
                .decode(ByteBuffer.wrap(bytes(file)))
                .toString();
    }
}
