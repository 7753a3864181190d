package io.sluice.center.people;

import io.sluice.center.refusal.RefusedException;
import java.text.Normalizer;
import java.util.Locale;
import java.util.regex.Pattern;

/** Names of accounts and e-mail addresses, in one spelling. Two spellings of one name are the same name. */
public final class Names {

    private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9._@+-]{0,99}");
    private static final Pattern EMAIL = Pattern.compile("[^\\s@\\p{Cntrl}]{1,100}@[^\\s@\\p{Cntrl}]{1,99}");

    private static final Pattern INVISIBLE = Pattern.compile("[\\p{M}\\p{C}\\uFFFC]");

    private Names() {}

    /** Returns the spelling of a valid account name. */
    static String account(String name) {
        String lower = lower(name);
        if (!NAME.matcher(lower).matches()) {
            throw RefusedException.invalid("name: not usable (expected: 1 to 100 letters, digits or . _ @ + -)");
        }
        return lower;
    }

    /** Returns a valid address, or an empty text. */
    public static String email(String email) {
        String lower = lower(email);
        if (!lower.isEmpty() && !EMAIL.matcher(lower).matches()) {
            throw RefusedException.invalid("email: not an address (expected: such as ann@example.com)");
        }
        return lower;
    }

    /**
     * Returns a typed name in a uniform spelling. Directories ignore invisible characters and repeated spaces. Without this step, each
     * variant would be a separate name for the count of attempts and the same name for the directory.
     *
     * @throws RefusedException if the name has invisible characters or characters that only modify others
     */
    public static String typed(String name) {
        String typed = spaced(name);
        if (INVISIBLE.matcher(typed).find()) {
            throw RefusedException.invalid("user: has invisible characters (expected: letters, digits and signs)");
        }
        return typed;
    }

    /**
     * Returns the key under which attempts for a name are counted. It is the same for all spellings that a directory may treat as one name,
     * such as spellings with and without accents.
     */
    public static String key(String name) {
        String plain = Normalizer.normalize(spaced(name), Normalizer.Form.NFKD).replaceAll("[\\p{M}\\p{C}]", "");
        return spaced(plain).toUpperCase(Locale.ROOT).toLowerCase(Locale.ROOT);
    }

    private static String spaced(String text) {
        return Normalizer.normalize(text, Normalizer.Form.NFKC)
                .replaceAll("[\\p{Z}\\s]+", " ")
                .strip();
    }

    static String lower(String text) {
        return spaced(text).toLowerCase(Locale.ROOT);
    }
}
