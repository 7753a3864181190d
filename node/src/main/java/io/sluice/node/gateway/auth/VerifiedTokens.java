package io.sluice.node.gateway.auth;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A bounded cache of recently verified tokens, by their hashes. Verifying a signature takes longer than everything else.
 * Thread-safe.
 *
 * <p>When the younger half is full it becomes the older half, and the entries of the old one are dropped. Only verified tokens
 * get in. This needs no cache library: a token that is dropped too early is only verified once more.
 */
final class VerifiedTokens {

    private static final int HALF = 8_192;

    private volatile Map<Sha256, Known> young = new ConcurrentHashMap<>();
    private volatile Map<Sha256, Known> old = Map.of();

    private record Known(Identity who, long untilMicros) {}

    /** Returns the owner of a token, or null if it is not cached any more. */
    @Nullable
    Identity find(Sha256 token, long nowMicros) {
        Known known = young.get(token);
        if (known == null) {
            known = old.get(token);
        }
        return known == null || known.untilMicros <= nowMicros ? null : known.who;
    }

    void keep(Sha256 token, Identity who, long untilMicros) {
        if (young.size() >= HALF) {
            synchronized (this) {
                if (young.size() >= HALF) {
                    old = young;
                    young = new ConcurrentHashMap<>();
                }
            }
        }
        young.put(token, new Known(who, untilMicros));
    }

    int size() {
        return young.size() + old.size();
    }
}
