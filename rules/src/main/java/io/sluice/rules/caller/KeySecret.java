package io.sluice.rules.caller;

import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The key of the hashes that stand for callers, and of {@code privacy: hash}. Thread-safe. The secret cannot be read back: it has no
 * text form, no bytes and no equality.
 *
 * <p>A secret never changes, unless it was made to be {@linkplain #replaceable replaceable}. A secret that hashes the keys of shared counts
 * must not be replaceable, because a change would start these counts again.
 *
 * <p>Nodes that share counts need the same secret. Without a secret, a person who can read the store could find values by trying them.
 */
public final class KeySecret {

    private static final String ALGORITHM = "HmacSHA256";
    private static final int SHORTEST = 16;
    private static final int LONGEST = 1_024;

    private final boolean replaceable;
    private volatile Mac mac;

    private KeySecret(byte[] bytes, boolean replaceable) {
        this.replaceable = replaceable;
        this.mac = macOf(bytes);
    }

    private static Mac macOf(byte[] bytes) {
        if (bytes.length < SHORTEST || bytes.length > LONGEST) {
            throw new IllegalArgumentException(
                    "hash key: " + bytes.length + " bytes (expected: " + SHORTEST + ".." + LONGEST + ")");
        }
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(bytes, ALGORITHM));
            return mac;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(ALGORITHM + " is missing; every Java runtime must provide it", e);
        }
    }

    /** Creates a secret from 16 to 1,024 bytes. */
    public static KeySecret of(byte[] bytes) {
        return new KeySecret(bytes, false);
    }

    /** Creates a secret that can be replaced: a process starts with its own secret, and later learns the secret of other processes. */
    public static KeySecret replaceable(byte[] bytes) {
        return new KeySecret(bytes, true);
    }

    /**
     * Replaces the secret. Later hashes are made with these bytes.
     *
     * @throws IllegalStateException if the secret is not replaceable
     */
    public void replace(byte[] bytes) {
        if (!replaceable) {
            throw new IllegalStateException("this secret is fixed");
        }
        mac = macOf(bytes);
    }

    /** Creates a random secret, for counts that do not leave this process. */
    public static KeySecret random() {
        byte[] bytes = new byte[2 * SHORTEST];
        new SecureRandom().nextBytes(bytes);
        return of(bytes);
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
