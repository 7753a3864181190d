package io.sluice.rules.caller;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The values that identify the caller of one request, and their masks. A logged text that is not an attribute itself may contain such
 * values: a phone number in a path, for example. Not thread-safe.
 *
 * <p>Callers choose values and texts. So only the beginning of a text is shown, and only the beginning of a value is compared: even long
 * texts and values take only some microseconds.
 */
public final class MaskedValues {

    /** The minimum length of a masked value. A shorter value may be in a text by chance. */
    private static final int SHORTEST = 3;

    /**
     * The minimum length of a value that is masked within words. A shorter value is masked only as a whole word: {@code eve} is masked, but
     * not in {@code events}.
     */
    private static final int SHORTEST_IN_WORDS = 6;

    private static final int COMPARED = 100;
    private static final int SHOWN = 500;

    private static final String UNRESERVED = "-._~";
    private static final String HEX = "0123456789ABCDEF";

    private final List<Masked> values = new ArrayList<>();

    /** @param isWhole whether this is the whole value, not only its beginning */
    private record Masked(String value, boolean isWhole, String mask) {

        boolean isAt(int at, String text) {
            return text.regionMatches(true, at, value, 0, value.length())
                    && (value.length() >= SHORTEST_IN_WORDS || isWord(text, at, at + value.length()));
        }
    }

    /** Replaces the value by {@code mask} everywhere, even where it is percent-encoded. */
    public void add(String value, String mask) {
        if (value.length() < SHORTEST) {
            return;
        }
        String plain = value.substring(0, Math.min(value.length(), COMPARED));
        values.add(new Masked(plain, plain.length() == value.length(), mask));
        String encoded = encoded(plain);
        if (!encoded.equals(plain)) {
            values.add(new Masked(encoded, plain.length() == value.length(), mask));
        }
        // A value may contain another value.
        values.sort(
                Comparator.comparingInt((Masked each) -> each.value.length()).reversed());
    }

    /** Returns the beginning of the text without the values. Upper and lower case do not matter. */
    public String in(String text) {
        StringBuilder shown = new StringBuilder();
        int at = 0;
        while (at < text.length() && at < SHOWN) {
            Masked found = at(at, text);
            if (found == null) {
                shown.append(text.charAt(at));
                at++;
            } else {
                shown.append(found.mask);
                at = found.isWhole ? at + found.value.length() : text.length();
            }
        }
        return shown.toString();
    }

    private @Nullable Masked at(int at, String text) {
        for (Masked each : values) {
            if (each.isAt(at, text)) {
                return each;
            }
        }
        return null;
    }

    private static boolean isWord(String text, int from, int to) {
        return (from == 0 || !Character.isLetterOrDigit(text.charAt(from - 1)))
                && (to == text.length() || !Character.isLetterOrDigit(text.charAt(to)));
    }

    private static String encoded(String value) {
        StringBuilder encoded = new StringBuilder();
        for (byte each : value.getBytes(StandardCharsets.UTF_8)) {
            if (each > 0 && (Character.isLetterOrDigit(each) || UNRESERVED.indexOf(each) >= 0)) {
                encoded.append((char) each);
            } else {
                encoded.append('%').append(HEX.charAt(each >> 4 & 0xf)).append(HEX.charAt(each & 0xf));
            }
        }
        return encoded.toString();
    }
}
