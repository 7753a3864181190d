package io.sluice.redis.store;

import java.util.Objects;

/**
 * Whether Redis is being asked, and if not, why and since when. Immutable.
 *
 * @param available whether decisions are made by Redis
 * @param reason what decisions that are not say: {@code redis-disconnected}, {@code breaker-open}; empty while available
 * @param cause what made it so, such as {@code redis-timeout}; empty while available
 * @param sinceMicros since when, in microseconds since the epoch by the wall clock
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
