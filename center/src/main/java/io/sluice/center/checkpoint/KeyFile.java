package io.sluice.center.checkpoint;

import io.sluice.center.database.PrivateFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;

/**
 * The signing key in the data directory, outside the database. Only the owner of the file can read it.
 *
 * <p>A new key waits in a separate file, named by its id, until the database has it. Therefore neither an interrupted rotation nor two
 * concurrent rotations lose a key.
 */
final class KeyFile {

    static final String NAME = "audit-key";

    private final Path file;
    private final Path known;

    KeyFile(Path data) {
        this.file = data.resolve(NAME);
        this.known = data.resolve(NAME + ".pub");
    }

    Path path() {
        return file;
    }

    /**
     * Reads the key; empty if there is no file.
     *
     * @throws IOException if the file cannot be read; the message is one line for the user
     */
    Optional<SigningKey> read() throws IOException {
        return read(file);
    }

    /**
     * Returns the key with this id, if the file contains it, or if it waits for the end of a rotation.
     *
     * @throws IOException if the files cannot be read; the message is one line for the user
     */
    Optional<SigningKey> find(String id) throws IOException {
        Optional<SigningKey> waiting =
                read(waiting(id)).filter(key -> key.known().id().equals(id));
        if (waiting.isPresent()) {
            finish(waiting.get());
            return waiting;
        }
        return read().filter(key -> key.known().id().equals(id));
    }

    /** Writes the first key. */
    void write(SigningKey key) {
        PrivateFile.write(file, key.text());
        publish(key);
    }

    /** Writes a key that will replace the current one. */
    void prepare(SigningKey key) {
        PrivateFile.write(waiting(key.known().id()), key.text());
    }

    /** Removes a prepared key, because the database refused it. */
    void discard(SigningKey key) throws IOException {
        boolean unused = Files.deleteIfExists(waiting(key.known().id()));
    }

    /** Replaces the key by a prepared key that the database has accepted. */
    void finish(SigningKey key) throws IOException {
        try {
            Files.move(
                    waiting(key.known().id()),
                    file,
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
        } catch (NoSuchFileException e) {
            // Another process has finished the rotation.
            return;
        }
        publish(key);
    }

    /** Writes the public key to a file that may be copied freely, so that other people can verify with it. */
    void publish(SigningKey key) {
        String text = key.known().text() + "\n";
        try {
            if (!Files.exists(known)
                    || !Files.readString(known, StandardCharsets.US_ASCII).equals(text)) {
                Files.writeString(known, text, StandardCharsets.US_ASCII);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(known + ": cannot be written (expected: a directory with write access)", e);
        }
    }

    private Path waiting(String id) {
        return file.resolveSibling(NAME + ".next-" + id);
    }

    private static Optional<SigningKey> read(Path file) throws IOException {
        try {
            return Optional.of(SigningKey.parse(Files.readString(file, StandardCharsets.US_ASCII)));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IllegalArgumentException e) {
            throw new IOException(file + ": " + e.getMessage(), e);
        } catch (IOException e) {
            throw new IOException(
                    file + ": cannot be read: " + e.getClass().getSimpleName()
                            + " (expected: a file that the center may read)",
                    e);
        }
    }
}
