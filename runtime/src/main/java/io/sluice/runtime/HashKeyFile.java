package io.sluice.runtime;

import io.sluice.rules.caller.KeySecret;
import io.sluice.rules.watch.RegularFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Arrays;

/** Reads the secret key for {@code privacy: hash}. */
public final class HashKeyFile {

    /** Leaves room for line breaks after the longest key. */
    private static final int LARGEST_FILE = 4_096;

    private HashKeyFile() {}

    /**
     * Returns the bytes of the file without trailing line breaks.
     *
     * @throws IllegalArgumentException if the file cannot be read or is not a valid key; the message never shows any part of the
     *     key
     */
    public static KeySecret read(Path file) {
        byte[] bytes;
        try (InputStream in = RegularFile.open(file)) {
            bytes = in.readNBytes(LARGEST_FILE + 1);
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    "hash_key_file: unreadable (expected: a file this user may read, 16 bytes or more)", e);
        }
        if (bytes.length > LARGEST_FILE) {
            throw new IllegalArgumentException(
                    "hash_key_file: more than " + LARGEST_FILE + " bytes (expected: a key of 16..1024 bytes)");
        }
        int length = bytes.length;
        while (length > 0 && (bytes[length - 1] == '\n' || bytes[length - 1] == '\r')) {
            length--;
        }
        return KeySecret.of(Arrays.copyOf(bytes, length));
    }
}
