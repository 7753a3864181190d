package io.sluice.rules.evaluate;

import org.jspecify.annotations.Nullable;

/**
 * A limit that was charged with the usage that a call reports, whether or not it fitted. Immutable.
 *
 * @param bound the limit
 * @param reported the limit with its remaining permits
 * @param degraded the reason why the shared store was not charged; null if it was
 */
public record UsedLimit(
        BoundLimit bound,
        Ruling.Reported reported,
        @Nullable String degraded) {}
