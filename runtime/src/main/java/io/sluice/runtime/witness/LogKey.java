package io.sluice.runtime.witness;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.HexFormat;

/**
 * The public key of an audit log: Ed25519.
 *
 * @param text the key in its X.509 form, in Base64
 */
public record LogKey(String text) {

    private static final String ALGORITHM = "Ed25519";
    private static final int LONGEST = 200;
    private static final int ID_BYTES = 8;

    public LogKey {
        if (text.length() > LONGEST) {
            throw new IllegalArgumentException("key: too long (expected: an Ed25519 key in Base64)");
        }
        PublicKey unused = parse(text);
    }

    public static LogKey of(PublicKey key) {
        return new LogKey(Base64.getEncoder().encodeToString(key.getEncoded()));
    }

    /** Returns the first 16 digits of the key's hash, by which people compare keys. */
    public String id() {
        byte[] hash = TreeHash.sha256().digest(Base64.getDecoder().decode(text));
        return HexFormat.of().formatHex(hash, 0, ID_BYTES);
    }

    /** Returns whether the owner of the key signed a text. */
    public boolean signed(String signedText, String signature) {
        try {
            Signature check = Signature.getInstance(ALGORITHM);
            check.initVerify(parse(text));
            check.update(signedText.getBytes(StandardCharsets.UTF_8));
            return check.verify(Base64.getDecoder().decode(signature));
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            return false;
        }
    }

    private static PublicKey parse(String text) {
        try {
            return KeyFactory.getInstance(ALGORITHM)
                    .generatePublic(new X509EncodedKeySpec(Base64.getDecoder().decode(text)));
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw new IllegalArgumentException("key: malformed (expected: an Ed25519 key in Base64)", e);
        }
    }
}
