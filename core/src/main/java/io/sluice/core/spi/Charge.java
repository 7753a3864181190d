package io.sluice.core.spi;

import io.sluice.core.limit.Limit;
import java.util.Objects;

/**
 * Permits that were charged and can be given back. Immutable.
 *
 * @param limit the limit as it was charged
 * @param key whose count was charged
 * @param permits how many
 * @param chargedAtMicros when, by the engine's time
 * @param holder who holds them, if they are held; else empty
 */
public record Charge(Limit limit, String key, long permits, long chargedAtMicros, String holder) {

    public Charge {
        Objects.requireNonNull(limit, "limit");
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(holder, "holder");
        if (permits < 1 || permits > Limit.MAX_PERMITS) {
            throw new IllegalArgumentException("permits: " + permits + " (expected: 1.." + Limit.MAX_PERMITS + ")");
        }
    }

    /** Whether somebody holds the permits until they are given back. */
    public boolean isHeld() {
        return !holder.isEmpty();
    }
}
