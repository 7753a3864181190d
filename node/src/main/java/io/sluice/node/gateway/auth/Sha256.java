package io.sluice.node.gateway.auth;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** The hash of a secret, by which it can be found without being kept. */
record Sha256(long first, long second, long third, long fourth) {

    static Sha256 of(String text) {
        try {
            return of(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Of its 32 bytes. */
    static Sha256 of(byte[] bytes) {
        ByteBuffer parts = ByteBuffer.wrap(bytes);
        return new Sha256(parts.getLong(), parts.getLong(), parts.getLong(), parts.getLong());
    }

    /** In a time that does not tell how much of it is the same. */
    boolean isSame(Sha256 other) {
        return ((first ^ other.first) | (second ^ other.second) | (third ^ other.third) | (fourth ^ other.fourth)) == 0;
    }
}
