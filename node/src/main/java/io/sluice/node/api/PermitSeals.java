package io.sluice.node.api;

import io.sluice.rules.evaluate.Permit;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Seals the texts of permits, so that a forged one is refused without asking the store. Nodes on one store use the same key, see
 * {@link #learn}. Whoever knows the key can get texts past this check, but cannot release anything: that takes the random bytes of
 * a {@link Permit}. Thread-safe.
 */
public final class PermitSeals {

    private static final String ALGORITHM = "HmacSHA256";
    private static final int KEY_BYTES = 32;
    private static final int SEAL_BYTES = 18;

    /** The length of a seal as text. It needs no padding. */
    private static final int SEAL_LENGTH = SEAL_BYTES * 4 / 3;

    /** The current key, and those before it. */
    private static final int KEYS_KEPT = 4;

    /** The current key is the first. */
    private volatile List<SecretKeySpec> keys;

    /** Creates seals with a random key. */
    public PermitSeals() {
        byte[] key = new byte[KEY_BYTES];
        new SecureRandom().nextBytes(key);
        this.keys = List.of(new SecretKeySpec(key, ALGORITHM));
    }

    /** Returns the current key. */
    public byte[] key() {
        return keys.get(0).getEncoded();
    }

    /** Makes this the current key. Texts with the seals of the last keys stay valid. A key of another length is ignored. */
    public synchronized void learn(byte[] key) {
        SecretKeySpec learned = new SecretKeySpec(Arrays.copyOf(key, KEY_BYTES), ALGORITHM);
        if (key.length != KEY_BYTES || learned.equals(keys.get(0))) {
            return;
        }
        List<SecretKeySpec> next = new ArrayList<>(KEYS_KEPT);
        next.add(learned);
        keys.stream()
                .filter(known -> !known.equals(learned))
                .limit(KEYS_KEPT - 1)
                .forEach(next::add);
        keys = List.copyOf(next);
    }

    /** Returns the text of a permit with a seal. */
    String seal(Permit permit) {
        String text = permit.text();
        return text + seal(keys.get(0), text);
    }

    /** Parses a text. Returns empty if it is not a permit, or its seal is wrong. */
    Optional<Permit> open(String sealed) {
        int length = sealed.length() - SEAL_LENGTH;
        if (length <= 0 || length > Permit.LONGEST) {
            return Optional.empty();
        }
        String text = sealed.substring(0, length);
        byte[] seal = sealed.substring(length).getBytes(StandardCharsets.UTF_8);
        for (SecretKeySpec key : keys) {
            if (MessageDigest.isEqual(seal, seal(key, text).getBytes(StandardCharsets.UTF_8))) {
                return Permit.read(text);
            }
        }
        return Optional.empty();
    }

    private static String seal(SecretKeySpec key, String text) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            byte[] seal = mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
            return Base64.getUrlEncoder().encodeToString(Arrays.copyOf(seal, SEAL_BYTES));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(ALGORITHM + " is missing; every Java runtime must provide it", e);
        }
    }
}
