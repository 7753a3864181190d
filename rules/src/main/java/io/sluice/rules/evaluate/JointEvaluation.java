package io.sluice.rules.evaluate;

import io.sluice.core.spi.Ask.Purpose;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.side.SideDecisions;
import io.sluice.rules.snapshot.RuleSet;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The individual steps of an {@link Evaluator}, for protocols that combine several requests into one decision. Thread-safe.
 *
 * <p>None of these steps holds permits, because the caller would get no {@link Permit} to release them.
 */
public interface JointEvaluation {

    /** Returns the rules in force. */
    RuleSet rules();

    /**
     * Finds the rules that apply to a request: first the rules that match its attributes, then the named rules.
     *
     * @param permits the permits to charge; with 0, the request only looks. No limit holds more than {@link
     *     io.sluice.core.limit.Limit#MAX_PERMITS}
     */
    MatchedRequest match(RuleSet set, Attributes request, long permits, List<NamedRule> named);

    /**
     * Decides limits, all or nothing. Returns one decision per side involved; none if no limit is left to ask.
     */
    CompletionStage<SideDecisions> decide(LimitGroup group, Purpose purpose, long version);

    /**
     * Charges a group immediately if this process can decide it alone. For any other group, returns null and charges nothing: call {@link
     * #decide} for it.
     */
    @Nullable
    SideDecisions chargeHere(LimitGroup group, long version);

    /** Charges one limit of a group on its own with this many permits, or with its remaining permits if it has fewer. */
    CompletionStage<?> charge(LimitGroup group, BoundLimit limit, long permits);

    /**
     * Charges the usage that a request reports, even into debt. Call it once, and only if the request passes. The stage never completes
     * exceptionally.
     */
    CompletionStage<List<UsedLimit>> chargeUsage(MatchedRequest request);

    /** Returns the mode to report if no limit decides. */
    String mode();

    /** Returns the wall clock time in microseconds since the epoch. */
    long nowMicros();

    /** Returns the monotonic clock time, for {@link #begin}. */
    long nanoTime();

    /**
     * Starts one ruling, on the thread that asks for it.
     *
     * @param request the first of the combined requests
     * @param startNanos the arrival of the request, by {@link #nanoTime}
     */
    Telling begin(Attributes request, long startNanos);

    /** Notifies the evaluator's listener. */
    @FunctionalInterface
    interface Telling {

        /**
         * Reports the ruling. Call it once.
         *
         * @param request the request that the ruling is about, of several combined requests
         */
        void tell(Attributes request, Ruling.Settled ruling);
    }
}
