package io.sluice.node.gateway.auth;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Tokens that were verified a moment ago, by their hashes: to verify a signature takes longer than everything else. Bounded, and safe
 * for use by many threads.
 *
 * <p>When the younger half is full it becomes the older one, and what was in that is forgotten. Only what was verified gets in. That needs
 * no cache library: a token that is forgotten too early is only verified once more.
 */
final class VerifiedTokens {

    private static final int HALF = 8_192;

    private volatile Map<Sha256, Known> young = new ConcurrentHashMap<>();
    private volatile Map<Sha256, Known> old = Map.of();

    private record Known(Identity who, long untilMicros) {}

    /** Whose token it is; null if that is not known any more. */
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
