package io.sluice.redis.store;

import java.util.Objects;

/**
 * The state of the store: whether Redis makes the decisions and, if not, the reason and the start of the outage. Immutable.
 *
 * @param available whether Redis makes the decisions
 * @param reason the reason that degraded decisions carry: {@code redis-disconnected}, {@code breaker-open}, or {@code
 *     redis-noauth}, {@code redis-wrongpass}, {@code redis-noperm} if Redis denies access; empty while available
 * @param cause the cause of this state, such as {@code redis-timeout}; empty while available
 * @param sinceMicros the start of this state, in microseconds since the epoch by the wall clock
 */
public record StoreState(boolean available, String reason, String cause, long sinceMicros) {

    public StoreState {
        Objects.requireNonNull(reason, "reason");
        Objects.requireNonNull(cause, "cause");
    }

    public static StoreState up(long sinceMicros) {
        return new StoreState(true, "", "", sinceMicros);
    }

    public static StoreState down(String reason, String cause, long sinceMicros) {
        return new StoreState(false, reason, cause, sinceMicros);
    }
}
