package io.sluice.core.local;

import io.sluice.core.spi.Verdict;

/**
 * One limit in one process, for many keys: like a {@link Gate}, but the key is looked up on each call. Does not allocate for a
 * token bucket and a known key. Thread-safe.
 *
 * <pre>{@code
 * Gates perUser = engine.gates(Limit.named("search").tokenBucket(Rate.perSecond(5)));
 * if (!perUser.tryPass(userId, 1)) {
 *     return tooManyRequests();
 * }
 * }</pre>
 */
public interface Gates {

    /** Charges the permits to a key and returns true if they are available now, without a later time slot. */
    boolean tryPass(String key, long permits);

    /** Decides and returns the remaining permits and the wait. If the limit has later time slots, it may grant one of them. */
    Verdict pass(String key, long permits);

    /** Decides like {@link #pass(String, long)}, but passes only if {@code keep} permits remain for other callers. */
    Verdict pass(String key, long permits, long keep);
}
