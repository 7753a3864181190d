package io.sluice.center.command;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Pattern;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * The {@code Idempotency-Key} of a request, bound to its actor. The database never contains the key: it finds a request by a hash,
 * recognises its content by a keyed hash, and stores the answer encrypted with the key. Answers and requests may contain secrets, such as a
 * new token or a password. Immutable.
 */
public final class RequestKey {

    /** The format of a key. A shorter key could be guessed. */
    public static final Pattern FORM = Pattern.compile("[!-~]{16,200}");

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int NONCE_BYTES = 12;
    private static final int TAG_BITS = 128;

    private final byte[] secret;
    private final String ref;
    private final String request;

    /**
     * Creates a key.
     *
     * @param key the text of the key, in the {@link #FORM} of a key
     * @param line the method and the address of the request
     */
    public RequestKey(String key, Actor actor, String line, byte[] body) {
        this.secret = mac(bytes(key), "actor", bytes(actor.name()));
        this.ref = HexFormat.of().formatHex(mac(secret, "ref", new byte[0]));
        this.request = HexFormat.of().formatHex(mac(secret, line, body));
    }

    /** Returns the hash by which the database finds the request. */
    String ref() {
        return ref;
    }

    /** Returns the keyed hash of the content. Requests with the same content have the same hash. */
    String request() {
        return request;
    }

    byte[] seal(byte[] answer) {
        byte[] nonce = new byte[NONCE_BYTES];
        RANDOM.nextBytes(nonce);
        try {
            byte[] sealed = cipher(Cipher.ENCRYPT_MODE, nonce).doFinal(answer);
            byte[] all = Arrays.copyOf(nonce, nonce.length + sealed.length);
            System.arraycopy(sealed, 0, all, nonce.length, sealed.length);
            return all;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("AES is missing; every Java runtime must provide it", e);
        }
    }

    /** Returns an answer; empty if it was sealed with another key. */
    Optional<byte[]> open(byte[] sealed) {
        try {
            return sealed.length <= NONCE_BYTES
                    ? Optional.empty()
                    : Optional.of(cipher(Cipher.DECRYPT_MODE, Arrays.copyOf(sealed, NONCE_BYTES))
                            .doFinal(sealed, NONCE_BYTES, sealed.length - NONCE_BYTES));
        } catch (GeneralSecurityException e) {
            return Optional.empty();
        }
    }

    private Cipher cipher(int mode, byte[] nonce) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(
                mode,
                new SecretKeySpec(mac(secret, "answer", new byte[0]), "AES"),
                new GCMParameterSpec(TAG_BITS, nonce));
        cipher.updateAAD(bytes(ref));
        return cipher;
    }

    /** Returns a keyed hash. The purpose is preceded by its length, so that different purposes and contents never form the same input. */
    private static byte[] mac(byte[] key, String purpose, byte[] content) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            mac.update(bytes(purpose.length() + ":" + purpose));
            return mac.doFinal(content);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("HmacSHA256 is missing; every Java runtime must provide it", e);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
