package io.sluice.core.spi;

import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/**
 * An answer that has not arrived yet. It may arrive after the deadline of its ask, or never, so a caller must not rely on it
 * ({@link io.sluice.core.decorator.FallbackEngine} does not).
 *
 * @param outcome the answer
 * @param afterArrivals the executor that runs a task once this process has read all data that has reached it so far. It runs
 *     the action at the deadline, so that a busy process does not mistake an unread answer for a missing answer.
 */
public record PendingOutcome(CompletionStage<Outcome> outcome, Executor afterArrivals) implements Answer {

    public PendingOutcome {
        Objects.requireNonNull(outcome, "outcome");
        Objects.requireNonNull(afterArrivals, "afterArrivals");
    }

    /** Creates a pending answer for an engine that reads no connections. */
    public PendingOutcome(CompletionStage<Outcome> outcome) {
        this(outcome, Runnable::run);
    }
}
