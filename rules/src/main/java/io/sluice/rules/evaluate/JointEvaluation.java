package io.sluice.rules.evaluate;

import io.sluice.core.Decision;
import io.sluice.core.spi.Ask.Purpose;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.snapshot.RuleSet;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * The steps of an {@link Evaluator}, for protocols that put several requests into one decision. Safe for use by many threads.
 *
 * <p>None of these steps holds permits: nobody would have a {@link Permit} to give back.
 */
public interface JointEvaluation {

    /** The rules in force. */
    RuleSet rules();

    /**
     * Finds what applies to a request: the rules that match its attributes, then the named ones.
     *
     * @param permits to be charged; 0 only looks. No limit holds more than {@link io.sluice.core.limit.Limit#MAX_PERMITS}
     */
    MatchedRequest match(RuleSet set, Attributes request, long permits, List<NamedRule> named);

    /** Decides limits, all or nothing: one decision for each engine that has a say, none if no limit is left to be asked. */
    CompletionStage<List<Decision>> decide(LimitGroup group, Purpose purpose, long version);

    /** Charges one limit by itself, up to this many permits and as many of them as it has left. */
    CompletionStage<?> charge(BoundLimit limit, long permits, Duration deadline);

    /** The mode that is reported where no limit decides. */
    String mode();

    /** The wall clock, in microseconds since the epoch. */
    long nowMicros();

    /** The monotonic clock, for {@link #begin}. */
    long nanoTime();

    /**
     * Begins one ruling, on the thread that asks for it.
     *
     * @param startNanos when it was asked for, by {@link #nanoTime}
     */
    Telling begin(long startNanos);

    /** Tells the listener of the evaluator. */
    @FunctionalInterface
    interface Telling {

        /** Tells of the ruling, once. */
        void tell(Ruling.Settled ruling);
    }
}
