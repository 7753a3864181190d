package io.sluice.center.database;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;

/** Files that contain a secret. */
public final class PrivateFile {

    private PrivateFile() {}

    /**
     * Writes a file that only its owner can read, and replaces an existing file. The file gets its final name when it is complete.
     *
     * @throws UncheckedIOException if the file cannot be written; the message is one line for the user
     */
    public static void write(Path file, String text) {
        Path target = file.toAbsolutePath();
        Path part = target.resolveSibling(target.getFileName() + ".part");
        try {
            Files.deleteIfExists(part);
            Files.createFile(part, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            Files.writeString(part, text, StandardCharsets.US_ASCII);
            Files.move(part, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException(
                    file + ": cannot be written (expected: a file in a directory with write access)", e);
        }
    }
}
