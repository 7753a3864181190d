package io.sluice.rules.reserve;

import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Label;
import io.sluice.core.spi.Settlement;
import io.sluice.rules.cost.AnswerAttribute;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The permits that a request has reserved of one limit. Immutable.
 *
 * @param label the names of the rule and of the limit in reports
 * @param limit the limit as it was charged
 * @param key the key of the count that was charged
 * @param reserved the permits that were charged, 0 or more
 * @param chargedAtMicros the time of the charge, by the engine's clock
 * @param within the time after the charge in which it can be settled
 * @param by the attribute of the answer that contains the real figure; null if only the caller knows it
 * @param side the name of the side that holds the count
 */
public record ReservedLimit(
        Label label,
        Limit limit,
        String key,
        long reserved,
        long chargedAtMicros,
        Duration within,
        @Nullable AnswerAttribute by,
        String side) {

    /** Returns the name of the limit in reports, {@code <rule>.<limit>}. */
    public String id() {
        return label.limit();
    }

    /**
     * Returns the settlement with the real figure.
     *
     * @param reservation the id of the reservation
     */
    Settlement settlement(String reservation, long actual) {
        long withinMicros = TimeUnit.MILLISECONDS.toMicros(within.toMillis());
        return new Settlement(limit, key, reserved, actual, chargedAtMicros, reservation, withinMicros);
    }
}
