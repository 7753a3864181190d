package io.sluice.core.spi;

import io.sluice.core.limit.Limit;

/** Identifies a count by its limit's name and shape and by its key. A key that is too long is replaced by its hash. */
public record CountKey(String name, String shape, String key) {

    private static final int LONGEST = 256;
    private static final String HASHED = "#sha256:";

    /** Returns the count of a limit and a key. */
    public static CountKey of(Limit limit, String key) {
        return new CountKey(limit.name(), limit.shape(), bounded(key));
    }

    /** Returns whether this is the count of a key that matches. */
    public boolean isOf(KeyMatch match) {
        return matches(key, match);
    }

    /** Returns whether a {@linkplain #bounded bounded} key matches. */
    public static boolean matches(String boundedKey, KeyMatch match) {
        return boundedKey.startsWith(HASHED)
                ? match.matchesDigest(boundedKey.substring(HASHED.length()))
                : match.matches(boundedKey);
    }

    public static String bounded(String key) {
        // A short key that looks like such a hash is also hashed, so that a caller cannot forge another caller's key.
        return key.length() <= LONGEST && (key.isEmpty() || key.charAt(0) != '#') ? key : HASHED + KeyDigest.of(key);
    }
}
