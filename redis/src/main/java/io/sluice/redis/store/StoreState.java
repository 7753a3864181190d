package io.sluice.redis.store;

import java.util.Objects;

/**
 * Whether Redis makes the decisions and, if not, why and since when. Immutable.
 *
 * @param available whether Redis makes the decisions
 * @param reason the reason that degraded decisions carry: {@code redis-disconnected}, {@code breaker-open}, or {@code
 *     redis-noauth}, {@code redis-wrongpass}, {@code redis-noperm} if Redis turns the client away; empty while available
 * @param cause what led to this state, such as {@code redis-timeout}; empty while available
 * @param sinceMicros when this state began, in microseconds since the epoch by the wall clock
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
