package io.sluice.core.local;

import io.sluice.core.spi.Verdict;

/**
 * One limit in one process, for many keys: what a {@link Gate} is to one key, with the key looked up. Allocates nothing for a
 * token bucket and a key that is known. Safe for use by many threads.
 *
 * <pre>{@code
 * Gates perUser = engine.gates(Limit.named("search").tokenBucket(Rate.perSecond(5)));
 * if (!perUser.tryPass(userId, 1)) {
 *     return tooManyRequests();
 * }
 * }</pre>
 */
public interface Gates {

    /** Whether so many permits may pass at once for a key, and not in a later time slot; charges them if so. */
    boolean tryPass(String key, long permits);

    /** Decides with what is left and how long to wait; where the limit has later time slots, the wait for one of them. */
    Verdict pass(String key, long permits);
}
