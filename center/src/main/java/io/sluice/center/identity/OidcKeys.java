package io.sluice.center.identity;

import com.nimbusds.jose.RemoteKeySourceException;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSelector;
import com.nimbusds.jose.jwk.JWKSet;
import io.sluice.center.remote.Conversation;
import java.io.IOException;
import java.net.URI;
import java.text.ParseException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The key set of an identity server. It is read at the first use and again for a token with an unknown key, but not too often.
 * Thread-safe.
 */
final class OidcKeys {

    /** The minimum time between two requests because of tokens with unknown keys. */
    static final Duration PAUSE = Duration.ofMinutes(1);

    private final URI address;
    private final Clock clock;

    // Guarded by this.
    private @Nullable JWKSet keys;
    private Instant again = Instant.MIN;

    OidcKeys(URI address, Clock clock) {
        this.address = address;
        this.clock = clock;
    }

    /**
     * Returns the keys that may have signed a token.
     *
     * @throws RemoteKeySourceException if the key set cannot be read
     */
    synchronized List<JWK> select(JWKSelector selector, OidcRequests requests) throws RemoteKeySourceException {
        List<JWK> known = keys == null ? List.of() : selector.select(keys);
        if (!known.isEmpty() || (keys != null && clock.instant().isBefore(again))) {
            return known;
        }
        JWKSet read = read(requests);
        keys = read;
        again = clock.instant().plus(PAUSE);
        return selector.select(read);
    }

    private JWKSet read(OidcRequests requests) throws RemoteKeySourceException {
        try {
            JWKSet read = JWKSet.parse(requests.document(address));
            if (read.size() > Conversation.MAX_ENTRIES) {
                throw new UnusableAnswerException(
                        200,
                        requests.last() + " with " + read.size() + " keys (expected: at most "
                                + Conversation.MAX_ENTRIES + ")");
            }
            return read;
        } catch (ParseException e) {
            IOException unusable = new UnusableAnswerException(200, requests.last() + " (expected: a key set)");
            throw new RemoteKeySourceException(unusable.getMessage(), unusable);
        } catch (IOException e) {
            throw new RemoteKeySourceException(e.getMessage(), e);
        }
    }
}
