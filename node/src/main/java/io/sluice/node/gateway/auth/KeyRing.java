package io.sluice.node.gateway.auth;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSVerifier;
import com.nimbusds.jose.crypto.ECDSAVerifier;
import com.nimbusds.jose.crypto.RSASSAVerifier;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.KeyOperation;
import com.nimbusds.jose.jwk.KeyUse;
import com.nimbusds.jose.jwk.RSAKey;
import java.text.ParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The issuers' public keys, and caches of the tokens that they have verified and refused. Keys that do not verify signatures of the
 * accepted algorithms, such as symmetric keys, are left out. Immutable except for the caches. Thread-safe.
 */
final class KeyRing {

    private static final int MOST_KEYS = 256;
    private static final int LEAST_RSA_BITS = 2_048;

    /** The maximum number of keys that are tried for a token without a key id. */
    private static final int MOST_TRIED = 4;

    private final List<Key> keys;
    private final RecentTokens<Identity> verified = new RecentTokens<>();
    private final RecentTokens<TokenCheck.Outcome.Bad> refused = new RecentTokens<>();

    private record Key(@Nullable String id, @Nullable String algorithm, JWSVerifier verifier) {}

    private KeyRing(List<Key> keys) {
        this.keys = List.copyOf(keys);
    }

    /** Reads a JSON Web Key Set. An error message does not show the set. */
    static KeyRing read(String where, String text) throws AuthUnreadableException {
        JWKSet set;
        try {
            set = JWKSet.parse(text);
        } catch (ParseException | RuntimeException | StackOverflowError e) {
            throw new AuthUnreadableException(where + ": unreadable (expected: a JSON Web Key Set)");
        }
        return of(where, set);
    }

    /** Returns the usable keys of a set. Refuses a set without any. */
    static KeyRing of(String where, JWKSet set) throws AuthUnreadableException {
        if (set.size() > MOST_KEYS) {
            throw new AuthUnreadableException(
                    where + ": " + set.size() + " keys (expected: at most " + MOST_KEYS + ")");
        }
        List<Key> keys = new ArrayList<>();
        for (JWK key : set.getKeys()) {
            usable(key).ifPresent(keys::add);
        }
        if (keys.isEmpty()) {
            throw new AuthUnreadableException(where + ": no usable key (expected: RSA of " + LEAST_RSA_BITS
                    + " bits or more, or EC, for signatures)");
        }
        return new KeyRing(keys);
    }

    private static Optional<Key> usable(JWK key) {
        boolean forSignatures = (key.getKeyUse() == null || key.getKeyUse().equals(KeyUse.SIGNATURE))
                && (key.getKeyOperations() == null || key.getKeyOperations().contains(KeyOperation.VERIFY));
        if (!forSignatures) {
            return Optional.empty();
        }
        try {
            String algorithm =
                    key.getAlgorithm() == null ? null : key.getAlgorithm().getName();
            if (key instanceof RSAKey rsa && rsa.size() >= LEAST_RSA_BITS) {
                return Optional.of(new Key(key.getKeyID(), algorithm, new RSASSAVerifier(rsa.toRSAPublicKey())));
            }
            return key instanceof ECKey curve
                    ? Optional.of(new Key(key.getKeyID(), algorithm, new ECDSAVerifier(curve.toECPublicKey())))
                    : Optional.empty();
        } catch (JOSEException | RuntimeException e) {
            return Optional.empty();
        }
    }

    /** Returns the keys that may have signed a token, at most {@value #MOST_TRIED}. */
    List<JWSVerifier> candidates(JWSAlgorithm algorithm, @Nullable String id) {
        List<JWSVerifier> found = new ArrayList<>(1);
        for (Key key : keys) {
            boolean fits = (id == null || id.equals(key.id()))
                    && (key.algorithm() == null || key.algorithm().equals(algorithm.getName()))
                    && key.verifier().supportedJWSAlgorithms().contains(algorithm);
            if (fits && found.size() < MOST_TRIED) {
                found.add(key.verifier());
            }
        }
        return found;
    }

    /** Returns the tokens that these keys have verified recently. Another key ring starts without tokens. */
    RecentTokens<Identity> verified() {
        return verified;
    }

    /** Returns the tokens that were refused with these keys recently. They do not displace verified tokens. */
    RecentTokens<TokenCheck.Outcome.Bad> refused() {
        return refused;
    }

    /** Returns these keys with changed verifiers, for example to count their calls, and with empty caches. */
    KeyRing with(UnaryOperator<JWSVerifier> change) {
        return new KeyRing(keys.stream()
                .map(key -> new Key(key.id(), key.algorithm(), change.apply(key.verifier())))
                .toList());
    }
}
