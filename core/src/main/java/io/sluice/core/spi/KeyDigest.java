package io.sluice.core.spi;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** A short substitute for a key that is too long to keep: the SHA-256 of its characters, whether or not they are valid text. */
public final class KeyDigest {

    private KeyDigest() {}

    /** Returns the digest as 64 hexadecimal digits. */
    public static String of(String key) {
        // Do not use String.getBytes: every charset replaces lone surrogates, so two different keys would have the same
        // digest.
        ByteBuffer bytes = ByteBuffer.allocate(key.length() * Character.BYTES);
        key.chars().forEach(c -> bytes.putChar((char) c));
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes.array()));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java runtime has SHA-256", e);
        }
    }
}
