package io.sluice.rules.evaluate;

import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The key of {@code privacy: hash}. Immutable, safe for use by many threads, and never to be seen again: it has no text, no bytes and
 * no equality.
 *
 * <p>Nodes that count together need the same one; without it, whoever reads the store could find out values by trying them.
 */
public final class KeySecret {

    private static final String ALGORITHM = "HmacSHA256";
    private static final int SHORTEST = 16;
    private static final int LONGEST = 1_024;

    private final Mac mac;

    private KeySecret(byte[] bytes) {
        try {
            mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(bytes, ALGORITHM));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java runtime has " + ALGORITHM, e);
        }
    }

    /** The secret of these bytes, 16 to 1,024 of them. */
    public static KeySecret of(byte[] bytes) {
        if (bytes.length < SHORTEST || bytes.length > LONGEST) {
            throw new IllegalArgumentException(
                    "hash key: " + bytes.length + " bytes (expected: " + SHORTEST + ".." + LONGEST + ")");
        }
        return new KeySecret(bytes);
    }

    /** One that nobody else has, for counts that do not leave this process. */
    public static KeySecret random() {
        byte[] bytes = new byte[2 * SHORTEST];
        new SecureRandom().nextBytes(bytes);
        return new KeySecret(bytes);
    }

    /** An HMAC-SHA-256 with this key, the caller's own. */
    public Mac mac() {
        try {
            return (Mac) mac.clone();
        } catch (CloneNotSupportedException e) {
            throw new IllegalStateException("the HMAC of every Java runtime can be copied", e);
        }
    }

    @Override
    public String toString() {
        return "KeySecret(hidden)";
    }
}
