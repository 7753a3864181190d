package io.sluice.core.internal;

import io.sluice.core.Limit;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Which count: a limit's name and shape, and whose. Keys too long to keep are kept as their hash. */
record CountKey(String name, String shape, String key) {

    private static final int LONGEST = 256;
    private static final String HASHED = "#sha256:";

    static CountKey of(Limit limit, String key) {
        return new CountKey(limit.name(), limit.shape(), bounded(key));
    }

    private static String bounded(String key) {
        // A short key that looks like a hashed one is hashed too, so that nobody can write himself another's key.
        return key.length() <= LONGEST && !key.startsWith(HASHED) ? key : HASHED + sha256(key);
    }

    private static String sha256(String key) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            return HexFormat.of().formatHex(digest.digest(key.getBytes(StandardCharsets.UTF_16BE)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java runtime has SHA-256", e);
        }
    }
}
