package io.sluice.center.checkpoint;

import io.sluice.center.audit.AuditSeal;
import io.sluice.runtime.witness.Checkpoint;
import io.sluice.runtime.witness.KeyChange;
import io.sluice.runtime.witness.LogKey;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;

/** An Ed25519 key that signs checkpoints. Immutable. */
final class SigningKey {

    private static final String ALGORITHM = "Ed25519";
    private static final String NO_KEY = "not a key (expected: two lines, as a center wrote them)";

    private final PrivateKey secret;
    private final LogKey known;

    private SigningKey(PrivateKey secret, LogKey known) {
        this.secret = secret;
        this.known = known;
    }

    static SigningKey generate() {
        try {
            KeyPair pair = KeyPairGenerator.getInstance(ALGORITHM).generateKeyPair();
            return new SigningKey(pair.getPrivate(), LogKey.of(pair.getPublic()));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Ed25519 is missing; every Java runtime since 15 provides it", e);
        }
    }

    /**
     * Reads the output of {@link #text}.
     *
     * @throws IllegalArgumentException if the text has another form
     */
    static SigningKey parse(String text) {
        List<String> lines = text.strip().lines().toList();
        if (lines.size() != 2) {
            throw new IllegalArgumentException(NO_KEY);
        }
        SigningKey key;
        try {
            PrivateKey secret = KeyFactory.getInstance(ALGORITHM)
                    .generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(lines.get(0))));
            key = new SigningKey(secret, new LogKey(lines.get(1)));
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw new IllegalArgumentException(NO_KEY, e);
        }
        if (!key.known.signed("test", key.sign("test"))) {
            throw new IllegalArgumentException(NO_KEY + "; its two lines do not belong together");
        }
        return key;
    }

    /** Returns the secret and the public key, each on one line. */
    String text() {
        return Base64.getEncoder().encodeToString(secret.getEncoded()) + "\n" + known.text() + "\n";
    }

    /** Returns the public key. */
    LogKey known() {
        return known;
    }

    Checkpoint checkpoint(String log, long size, String root, long atMillis) {
        return new Checkpoint(
                log, size, root, atMillis, known.id(), sign(Checkpoint.signedText(log, size, root, atMillis)));
    }

    KeyChange change(String log, LogKey next) {
        return new KeyChange(log, known.id(), next, sign(KeyChange.signedText(log, known.id(), next)));
    }

    /** Signs a statement that rows were pruned or lost their content. */
    AuditSeal.Stamp seal(String text) {
        return new AuditSeal.Stamp(known.id(), sign(text));
    }

    private String sign(String text) {
        try {
            Signature signature = Signature.getInstance(ALGORITHM);
            signature.initSign(secret);
            signature.update(text.getBytes(StandardCharsets.UTF_8));
            return Base64.getEncoder().encodeToString(signature.sign());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the key of the audit log cannot sign", e);
        }
    }

    @Override
    public String toString() {
        return "SigningKey[" + known.id() + "]";
    }
}
