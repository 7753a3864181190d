package io.sluice.core.spi;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** A short stand-in for a key that is too long to keep: the SHA-256 of its characters, as they are, proper text or not. */
public final class KeyDigest {

    private KeyDigest() {}

    /** 64 hexadecimal digits. */
    public static String of(String key) {
        // Not String.getBytes: every charset replaces lone surrogates, and two keys would become one.
        ByteBuffer bytes = ByteBuffer.allocate(key.length() * Character.BYTES);
        key.chars().forEach(c -> bytes.putChar((char) c));
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes.array()));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java runtime has SHA-256", e);
        }
    }
}
