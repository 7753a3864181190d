package io.sluice.core.spi;

import java.util.Objects;

/**
 * The engine could not decide, and certainly or possibly charged nothing.
 *
 * @param reason why, a short name fit for a metric, such as {@code redis-timeout}
 * @param mayHaveCharged whether the store may have charged all the same (the answer was lost, not the question); such an ask
 *     must not be repeated
 */
public record EngineFailure(String reason, boolean mayHaveCharged) implements Outcome {

    public EngineFailure {
        Objects.requireNonNull(reason, "reason");
    }
}
