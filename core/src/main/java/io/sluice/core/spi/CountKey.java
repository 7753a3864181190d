package io.sluice.core.spi;

import io.sluice.core.limit.Limit;

/** Which count: a limit's name and shape, and whose. Keys too long to keep are kept as their hash. */
public record CountKey(String name, String shape, String key) {

    private static final int LONGEST = 256;
    private static final String HASHED = "#sha256:";

    /** The count of a limit and a key. */
    public static CountKey of(Limit limit, String key) {
        return new CountKey(limit.name(), limit.shape(), bounded(key));
    }

    public static String bounded(String key) {
        // A short key that looks like one of ours is hashed too, so that nobody can write himself another's key.
        return key.length() <= LONGEST && (key.isEmpty() || key.charAt(0) != '#') ? key : HASHED + KeyDigest.of(key);
    }
}
