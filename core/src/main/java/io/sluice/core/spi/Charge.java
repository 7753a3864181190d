package io.sluice.core.spi;

import io.sluice.core.limit.Limit;
import java.util.Objects;

/**
 * Permits that were charged and can be given back. Immutable.
 *
 * @param limit the limit as it was charged
 * @param key the key of the count that was charged
 * @param permits the number of permits
 * @param chargedAtMicros the time of the charge, by the engine's clock
 * @param holder the holder of the permits if they are held; otherwise empty
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

    /** Returns whether the permits are held until they are given back. */
    public boolean isHeld() {
        return !holder.isEmpty();
    }
}
