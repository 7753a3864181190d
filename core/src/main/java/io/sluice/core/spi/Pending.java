package io.sluice.core.spi;

import java.util.Objects;
import java.util.concurrent.CompletionStage;

/**
 * An answer that is under way. It may come after the deadline of its ask, or never; who waits for it must not rely on it
 * ({@link io.sluice.core.FallbackEngine} does not).
 */
public record Pending(CompletionStage<Outcome> outcome) implements Answer {

    public Pending {
        Objects.requireNonNull(outcome, "outcome");
    }
}
