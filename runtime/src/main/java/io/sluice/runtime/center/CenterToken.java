package io.sluice.runtime.center;

import io.sluice.rules.watch.RegularFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/** The token of a center, read from its file each time, so that a new token needs no restart. Thread-safe. */
final class CenterToken {

    private static final int LARGEST_FILE = 4_096;
    private static final int LONGEST = 1_024;

    /** The characters that RFC 6750, section 2.1, permits. */
    private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9._~+/-]+=*");

    private final Path file;
    private volatile String last;

    private CenterToken(Path file, String last) {
        this.file = file;
        this.last = last;
    }

    /** @throws IllegalArgumentException if the file is unreadable or has no token; the message never shows a token */
    static CenterToken in(Path file) {
        return new CenterToken(file, read(file));
    }

    /** Returns the token in the file, or the last good one while the file has none. */
    String current() {
        try {
            last = read(file);
        } catch (IllegalArgumentException e) {
            // The file may be in the middle of a change.
        }
        return last;
    }

    private static String read(Path file) {
        byte[] bytes;
        try (InputStream in = RegularFile.open(file)) {
            bytes = in.readNBytes(LARGEST_FILE + 1);
        } catch (NoSuchFileException e) {
            throw refused(file, "missing", "a file with the token of the center");
        } catch (IOException e) {
            throw refused(file, "unreadable", "a file this user may read, with the token of the center");
        }
        // Every byte is one character, so bytes that are not text are found below.
        List<String> tokens = new String(bytes, StandardCharsets.ISO_8859_1)
                .lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                .toList();
        if (bytes.length > LARGEST_FILE || tokens.size() != 1) {
            throw refused(file, tokens.isEmpty() ? "no token" : "more than one token", "one line with the token");
        }
        String token = tokens.get(0);
        if (token.length() > LONGEST || !TOKEN.matcher(token).matches()) {
            throw refused(file, "not a token", "letters, digits and - . _ ~ + /, at most " + LONGEST + " characters");
        }
        return token;
    }

    private static IllegalArgumentException refused(Path file, String what, String expected) {
        return new IllegalArgumentException(
                "center token file " + file + ": " + what + " (expected: " + expected + ")");
    }
}
