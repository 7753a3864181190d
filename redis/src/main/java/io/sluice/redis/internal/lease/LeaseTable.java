package io.sluice.redis.internal.lease;

import io.sluice.core.limit.Limit;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The leased keys of this process, by limit and key; never more than {@link #most}. Keys that are too long are not stored.
 * Thread-safe; lookups take no lock and allocate nothing.
 */
final class LeaseTable {

    /** The maximum length of a key. With longer keys, clients that choose the keys could use up memory. */
    static final int LONGEST_KEY = 256;

    private final ConcurrentHashMap<Limit, ConcurrentHashMap<String, LeasedKey>> limits = new ConcurrentHashMap<>();
    private final AtomicInteger size = new AtomicInteger();
    private final LeaseListener listener;
    private final int most;

    LeaseTable(int most, LeaseListener listener) {
        this.most = most;
        this.listener = listener;
    }

    /** Returns the entry of a key and adds an entry if there is none. Returns null if there is no room for the key. */
    @Nullable
    LeasedKey findOrAdd(Limit limit, String key, long nowNanos) {
        LeasedKey known = find(limit, key);
        return known != null || key.length() > LONGEST_KEY || size.get() >= most ? known : add(limit, key, nowNanos);
    }

    @Nullable
    LeasedKey find(Limit limit, String key) {
        ConcurrentHashMap<String, LeasedKey> keys = limits.get(limit);
        return keys == null ? null : keys.get(key);
    }

    int size() {
        return size.get();
    }

    private @Nullable LeasedKey add(Limit limit, String key, long nowNanos) {
        if (size.incrementAndGet() > most) {
            size.decrementAndGet();
            return null;
        }
        LeasedKey added = new LeasedKey(limit, key, listener, nowNanos);
        @Nullable LeasedKey[] there = new LeasedKey[1];
        // Add within compute, because empty maps are removed in the same way.
        limits.compute(limit, (same, keys) -> {
            ConcurrentHashMap<String, LeasedKey> into = keys == null ? new ConcurrentHashMap<>() : keys;
            there[0] = into.putIfAbsent(key, added);
            return into;
        });
        LeasedKey known = there[0];
        if (known != null) {
            size.decrementAndGet();
        }
        return known == null ? added : known;
    }

    /** Removes the keys that match. */
    void dropIf(Predicate<LeasedKey> leaves) {
        limits.forEach((limit, keys) -> {
            keys.values().removeIf(key -> {
                boolean left = leaves.test(key);
                if (left) {
                    size.decrementAndGet();
                }
                return left;
            });
            if (keys.isEmpty()) {
                limits.computeIfPresent(limit, (same, now) -> now.isEmpty() ? null : now);
            }
        });
    }
}
