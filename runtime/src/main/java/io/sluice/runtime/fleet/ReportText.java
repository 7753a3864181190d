package io.sluice.runtime.fleet;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** The bounds of the content of a report and of a fleet, so that no member can fill the memory of a center. */
final class ReportText {

    /** The largest version that the text of a rule set can have. */
    static final long LARGEST_VERSION = 999_999_999_999_999L;

    /** Times beyond the year 30,000 are errors. */
    static final long LATEST_MILLIS = 999_999_999_999_999L;

    private static final int LONGEST = 1_000;
    private static final Pattern DIGEST = Pattern.compile("(?:[0-9a-f]{64})?");

    private ReportText() {}

    static String cut(String text) {
        if (text.length() <= LONGEST) {
            return text;
        }
        boolean pair = Character.isHighSurrogate(text.charAt(LONGEST - 1));
        return text.substring(0, pair ? LONGEST - 1 : LONGEST);
    }

    static List<String> cut(List<String> texts, int most) {
        List<String> cut = new ArrayList<>();
        for (String text : texts.subList(0, Math.min(texts.size(), most))) {
            cut.add(cut(text));
        }
        return List.copyOf(cut);
    }

    static void checkVersion(long version) {
        if (version < 0 || version > LARGEST_VERSION) {
            throw new IllegalArgumentException("version: " + version + " (expected: 0.." + LARGEST_VERSION + ")");
        }
    }

    static void checkDigest(String digest) {
        if (!DIGEST.matcher(digest).matches()) {
            throw new IllegalArgumentException("digest: malformed (expected: 64 hexadecimal digits, or nothing)");
        }
    }

    static void checkMillis(String name, long millis) {
        if (millis < 0 || millis > LATEST_MILLIS) {
            throw new IllegalArgumentException(
                    name + ": " + millis + " (expected: milliseconds since 1970, 0.." + LATEST_MILLIS + ")");
        }
    }
}
