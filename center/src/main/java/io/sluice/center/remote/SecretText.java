package io.sluice.center.remote;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** A secret in a separate file. It is read at each use, so it can be changed without a restart. */
public final class SecretText {

    private static final int LONGEST = 4_000;

    private SecretText() {}

    /**
     * Returns the secret.
     *
     * @param key the setting that names the file, for the error
     */
    public static String read(String key, Path file) throws IOException {
        if (!Files.isReadable(file) || !Files.isRegularFile(file) || Files.size(file) > LONGEST) {
            throw new IOException(
                    key + ": " + file + " is not a readable file (expected: a file that holds only the secret)");
        }
        String secret = Files.readString(file, StandardCharsets.UTF_8).strip();
        if (secret.isEmpty()) {
            throw new IOException(key + ": " + file + " is empty (expected: a file that holds only the secret)");
        }
        return secret;
    }
}
