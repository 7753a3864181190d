package io.sluice.core.spi;

import java.util.Objects;

/**
 * The engine could not decide. It charged nothing, unless {@code mayHaveCharged} is set.
 *
 * @param reason the reason, a short name suitable for a metric, such as {@code redis-timeout}
 * @param mayHaveCharged whether the store may have charged anyway, because possibly only the answer was lost; such an ask must
 *     not be repeated
 */
public record EngineFailure(String reason, boolean mayHaveCharged) implements Outcome {

    public EngineFailure {
        Objects.requireNonNull(reason, "reason");
    }
}
