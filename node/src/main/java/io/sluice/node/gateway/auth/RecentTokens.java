package io.sluice.node.gateway.auth;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A bounded cache of results for tokens, by their hashes. Verifying a signature takes longer than everything else. Thread-safe.
 *
 * <p>When the younger half is full it becomes the older half, and the entries of the old one are dropped. This needs no cache
 * library: a token that is dropped too early is only verified once more.
 *
 * @param <V> the result for a token
 */
final class RecentTokens<V> {

    private static final int HALF = 8_192;

    private volatile Map<Sha256, Known<V>> young = new ConcurrentHashMap<>();
    private volatile Map<Sha256, Known<V>> old = Map.of();

    private record Known<V>(V value, long untilMicros) {}

    /** Returns the result for a token, or null if it is no longer cached. */
    @Nullable
    V find(Sha256 token, long nowMicros) {
        Known<V> known = young.get(token);
        if (known == null) {
            known = old.get(token);
        }
        return known == null || known.untilMicros <= nowMicros ? null : known.value;
    }

    void keep(Sha256 token, V value, long untilMicros) {
        if (young.size() >= HALF) {
            synchronized (this) {
                if (young.size() >= HALF) {
                    old = young;
                    young = new ConcurrentHashMap<>();
                }
            }
        }
        young.put(token, new Known<>(value, untilMicros));
    }

    int size() {
        return young.size() + old.size();
    }
}
