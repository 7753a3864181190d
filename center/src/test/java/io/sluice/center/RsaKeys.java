package io.sluice.center;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;

/** Keys of identity servers. Each process makes them once, because that takes much CPU time. */
final class RsaKeys {

    /** The key of a server, with the id {@code first}. */
    static final RSAKey FIRST = make();

    private static final RSAKey OTHER = make();

    private RsaKeys() {}

    /** Returns a key that is not the first one. */
    static RSAKey other(String id) {
        return new RSAKey.Builder(OTHER).keyID(id).build();
    }

    private static RSAKey make() {
        try {
            return new RSAKeyGenerator(2048).keyID("first").generate();
        } catch (JOSEException e) {
            throw new IllegalStateException(e);
        }
    }
}
