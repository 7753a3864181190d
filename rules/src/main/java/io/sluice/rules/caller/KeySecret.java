package io.sluice.rules.caller;

import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The key of {@code privacy: hash}. Immutable and thread-safe. The secret cannot be read back: it has no text form, no bytes and
 * no equality.
 *
 * <p>Nodes that share counts need the same secret. Without a secret, anyone who can read the store could find out values by
 * trying them.
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
            throw new IllegalStateException(ALGORITHM + " is missing; every Java runtime must provide it", e);
        }
    }

    /** Creates a secret from 16 to 1,024 bytes. */
    public static KeySecret of(byte[] bytes) {
        if (bytes.length < SHORTEST || bytes.length > LONGEST) {
            throw new IllegalArgumentException(
                    "hash key: " + bytes.length + " bytes (expected: " + SHORTEST + ".." + LONGEST + ")");
        }
        return new KeySecret(bytes);
    }

    /** Creates a random secret, for counts that do not leave this process. */
    public static KeySecret random() {
        byte[] bytes = new byte[2 * SHORTEST];
        new SecureRandom().nextBytes(bytes);
        return new KeySecret(bytes);
    }

    /** Returns a new HMAC-SHA-256 with this key, for the caller's own use. */
    public Mac mac() {
        try {
            return (Mac) mac.clone();
        } catch (CloneNotSupportedException e) {
            throw new IllegalStateException("the HMAC of this Java runtime cannot be cloned", e);
        }
    }

    @Override
    public String toString() {
        return "KeySecret(hidden)";
    }
}
