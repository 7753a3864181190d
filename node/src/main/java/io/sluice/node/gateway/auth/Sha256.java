package io.sluice.node.gateway.auth;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** The hash of a secret. It identifies the secret without storing it. */
record Sha256(long first, long second, long third, long fourth) {

    static Sha256 of(String text) {
        try {
            return of(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Creates the hash from its 32 bytes. */
    static Sha256 of(byte[] bytes) {
        ByteBuffer parts = ByteBuffer.wrap(bytes);
        return new Sha256(parts.getLong(), parts.getLong(), parts.getLong(), parts.getLong());
    }

    /** Compares in constant time, so that the duration does not reveal how much is equal. */
    boolean isSame(Sha256 other) {
        return ((first ^ other.first) | (second ^ other.second) | (third ^ other.third) | (fourth ^ other.fourth)) == 0;
    }
}
