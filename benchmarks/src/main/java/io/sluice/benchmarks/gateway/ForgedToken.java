package io.sluice.benchmarks.gateway;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** Tokens that name a key of the issuer and have a random signature, half of them RS256 and half ES256. */
final class ForgedToken {

    private static final String RSA_HEAD =
            encoded("{\"alg\":\"RS256\",\"kid\":\"rsa\"}".getBytes(StandardCharsets.US_ASCII));
    private static final String EC_HEAD =
            encoded("{\"alg\":\"ES256\",\"kid\":\"ec\"}".getBytes(StandardCharsets.US_ASCII));
    private static final int RSA_BITS = 2_048;
    private static final int EC_SIGNATURE_BYTES = 64;

    private ForgedToken() {}

    /** Returns new public keys of an issuer. */
    static String keySet() {
        try {
            return new JWKSet(List.of(
                            new RSAKeyGenerator(RSA_BITS)
                                    .keyID("rsa")
                                    .generate()
                                    .toPublicJWK(),
                            new ECKeyGenerator(Curve.P_256)
                                    .keyID("ec")
                                    .generate()
                                    .toPublicJWK()))
                    .toString();
        } catch (JOSEException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns a token that no other call returns. */
    static String next() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        boolean isRsa = random.nextBoolean();
        byte[] signature = new byte[isRsa ? RSA_BITS / Byte.SIZE : EC_SIGNATURE_BYTES];
        random.nextBytes(signature);
        // Greater values than the modulus are refused before anything is computed.
        signature[0] &= 0x3F;
        String claims = "{\"sub\":\"u-" + random.nextLong() + "\",\"aud\":\"shop\",\"exp\":4102444800}";
        return (isRsa ? RSA_HEAD : EC_HEAD) + "." + encoded(claims.getBytes(StandardCharsets.US_ASCII)) + "."
                + encoded(signature);
    }

    private static String encoded(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }
}
