package io.sluice.node.telemetry;

import io.sluice.node.config.StartFailedException;
import io.sluice.node.gateway.config.HeaderRules;
import io.sluice.rules.watch.RegularFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads headers for every call to a receiver. Errors never show a value, because it may be a secret. */
final class HeadersFile {

    private static final int MOST_HEADERS = 20;

    private HeadersFile() {}

    /** Returns the headers, one per line. Empty lines and lines that start with {@code #} are skipped. */
    static Map<String, String> read(Path file) throws StartFailedException {
        String text;
        try {
            text = RegularFile.text(file);
        } catch (IOException e) {
            throw refused("unreadable");
        }
        Map<String, String> headers = new LinkedHashMap<>();
        int number = 0;
        for (String line : text.split("\r?\n", -1)) {
            number++;
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            int colon = line.indexOf(':');
            try {
                String name = HeaderRules.requireName(
                        colon < 0 ? "" : line.substring(0, colon).strip());
                String value =
                        HeaderRules.requireValue(line.substring(colon + 1).strip());
                if (headers.put(name, value) != null || headers.size() > MOST_HEADERS) {
                    throw refused("line " + number + " repeats a name, or there are more than " + MOST_HEADERS);
                }
            } catch (IllegalArgumentException e) {
                throw refused("line " + number + " is not a header");
            }
        }
        return headers;
    }

    private static StartFailedException refused(String what) {
        return new StartFailedException(
                "telemetry.otlp.headers_file: " + what
                        + " (expected: a file this user may read, with lines such as Authorization: Bearer abc)",
                List.of());
    }
}
