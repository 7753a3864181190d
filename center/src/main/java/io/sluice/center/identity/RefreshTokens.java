package io.sluice.center.identity;

import io.sluice.center.identity.server.SecretFile;
import io.sluice.center.signin.settings.OidcServer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Optional;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Encrypts the refresh tokens of one server for the database. The key is derived from the secret of the client: all centers have
 * it, the database does not, and the server accepts no refresh token without that secret. If the secret changes, the stored
 * tokens cannot be read, and people sign in once more. Thread-safe.
 */
final class RefreshTokens {

    private static final int NONCE_BYTES = 12;
    private static final int TAG_BITS = 128;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final OidcServer server;

    RefreshTokens(OidcServer server) {
        this.server = server;
    }

    /** Returns the stored form of a token; empty if there is no token, or if the secret cannot be read now. */
    String encrypted(String token, String subject) {
        if (token.isEmpty()) {
            return "";
        }
        try {
            byte[] nonce = new byte[NONCE_BYTES];
            RANDOM.nextBytes(nonce);
            byte[] secret = cipher(Cipher.ENCRYPT_MODE, nonce, subject).doFinal(token.getBytes(StandardCharsets.UTF_8));
            return Base64.getEncoder()
                    .encodeToString(ByteBuffer.allocate(nonce.length + secret.length)
                            .put(nonce)
                            .put(secret)
                            .array());
        } catch (IOException e) {
            return "";
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("AES is missing; every JDK must provide it", e);
        }
    }

    /** Returns a token; empty if it was stored with another secret of the client, or for another person. */
    Optional<String> decrypted(String stored, String subject) {
        try {
            ByteBuffer bytes = ByteBuffer.wrap(Base64.getDecoder().decode(stored));
            byte[] nonce = new byte[NONCE_BYTES];
            if (bytes.remaining() <= nonce.length) {
                return Optional.empty();
            }
            bytes.get(nonce);
            byte[] secret = new byte[bytes.remaining()];
            bytes.get(secret);
            return Optional.of(
                    new String(cipher(Cipher.DECRYPT_MODE, nonce, subject).doFinal(secret), StandardCharsets.UTF_8));
        } catch (GeneralSecurityException | IOException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private Cipher cipher(int mode, byte[] nonce, String subject) throws GeneralSecurityException, IOException {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(SecretFile.of(server).getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
        byte[] key = mac.doFinal(("sluice refresh tokens of " + server.name()).getBytes(StandardCharsets.UTF_8));
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(mode, new SecretKeySpec(key, "AES"), new GCMParameterSpec(TAG_BITS, nonce));
        cipher.updateAAD(subject.getBytes(StandardCharsets.UTF_8));
        return cipher;
    }
}
