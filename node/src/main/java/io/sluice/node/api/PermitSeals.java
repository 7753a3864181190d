package io.sluice.node.api;

import io.sluice.rules.evaluate.Permit;
import io.sluice.rules.reserve.Reservation;
import io.sluice.rules.reserve.ReservationText;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Seals the texts of permits and reservations, so that a forged one is refused without asking the store. Nodes on one store use the
 * same key, see {@link #learn}. Thread-safe.
 *
 * <p>A holder of the key can get permits past this check, but cannot release anything: that takes the random bytes of a {@link Permit}. A
 * {@link Reservation} has no such secret, so its seal alone protects the counts. The key is in the shared store, and every reader of that
 * store could also change the counts. Reservations are sealed with a separate key, which is derived from it, so no seal of a permit is
 * valid for a reservation.
 */
public final class PermitSeals {

    private static final String ALGORITHM = "HmacSHA256";
    private static final int KEY_BYTES = 32;
    private static final int SEAL_BYTES = 18;

    /** The length of a seal as text. It needs no padding. */
    private static final int SEAL_LENGTH = SEAL_BYTES * 4 / 3;

    /** The number of keys that are kept: the current key and earlier ones. */
    private static final int KEYS_KEPT = 4;

    /** The current key is the first. */
    private volatile List<Keys> keys;

    /** True if other nodes may have a common key that this node does not know yet. */
    private volatile boolean awaitsKey;

    /** A key, and the derived key for reservations. */
    private record Keys(SecretKeySpec permits, SecretKeySpec reservations) {

        static Keys of(byte[] key) {
            SecretKeySpec permits = new SecretKeySpec(key, ALGORITHM);
            return new Keys(permits, new SecretKeySpec(mac(permits, "reservations"), ALGORITHM));
        }
    }

    /** Creates seals with a random key. */
    public PermitSeals() {
        byte[] key = new byte[KEY_BYTES];
        new SecureRandom().nextBytes(key);
        this.keys = List.of(Keys.of(key));
    }

    /** Sets whether other nodes may have a common key that this node does not know yet. {@link #learn} resets it. */
    public void awaitKey(boolean awaits) {
        this.awaitsKey = awaits;
    }

    /** Returns whether a text that cannot be opened may come from another node. */
    boolean awaitsKey() {
        return awaitsKey;
    }

    /** Returns the current key. */
    public byte[] key() {
        return keys.get(0).permits().getEncoded();
    }

    /** Makes this the current key. Seals of the last keys stay valid. A key of another length is ignored. */
    public synchronized void learn(byte[] key) {
        awaitsKey = false;
        Keys learned = Keys.of(Arrays.copyOf(key, KEY_BYTES));
        if (key.length != KEY_BYTES || learned.equals(keys.get(0))) {
            return;
        }
        List<Keys> next = new ArrayList<>(KEYS_KEPT);
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
        return text + seal(keys.get(0).permits(), text);
    }

    /** Returns the text of a reservation with a seal. Empty if it is too long, because of many limits or long keys. */
    Optional<String> seal(Reservation reservation) {
        return ReservationText.write(reservation)
                .map(text -> text + seal(keys.get(0).reservations(), text));
    }

    /** Parses a text. Returns empty if it is not a permit, or its seal is wrong. */
    Optional<Permit> open(String sealed) {
        return open(sealed, Permit.LONGEST, Keys::permits).flatMap(Permit::read);
    }

    /** Parses a text. Returns empty if it is not a reservation, or its seal is wrong. */
    Optional<Reservation> openReservation(String sealed) {
        return open(sealed, ReservationText.LONGEST, Keys::reservations).flatMap(ReservationText::read);
    }

    private Optional<String> open(String sealed, int longest, Function<Keys, SecretKeySpec> purpose) {
        int length = sealed.length() - SEAL_LENGTH;
        if (length <= 0 || length > longest) {
            return Optional.empty();
        }
        String text = sealed.substring(0, length);
        byte[] seal = sealed.substring(length).getBytes(StandardCharsets.UTF_8);
        for (Keys known : keys) {
            byte[] expected = seal(purpose.apply(known), text).getBytes(StandardCharsets.UTF_8);
            if (MessageDigest.isEqual(seal, expected)) {
                return Optional.of(text);
            }
        }
        return Optional.empty();
    }

    private static String seal(SecretKeySpec key, String text) {
        return Base64.getUrlEncoder().encodeToString(Arrays.copyOf(mac(key, text), SEAL_BYTES));
    }

    private static byte[] mac(SecretKeySpec key, String text) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(ALGORITHM + " is missing; every Java runtime must provide it", e);
        }
    }
}
