package io.sluice.core.spi;

import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/**
 * An answer that is under way. It may come after the deadline of its ask, or never; who waits for it must not rely on it
 * ({@link io.sluice.core.decorator.FallbackEngine} does not).
 *
 * @param outcome the answer
 * @param afterArrivals runs a task once everything that has reached this process so far has been read. What strikes at the
 *     deadline goes through it, so that a busy process does not take an answer that lies unread for one that is missing.
 */
public record PendingOutcome(CompletionStage<Outcome> outcome, Executor afterArrivals) implements Answer {

    public PendingOutcome {
        Objects.requireNonNull(outcome, "outcome");
        Objects.requireNonNull(afterArrivals, "afterArrivals");
    }

    /** An answer of an engine that reads nothing. */
    public PendingOutcome(CompletionStage<Outcome> outcome) {
        this(outcome, Runnable::run);
    }
}
