package io.sluice.core.spi;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Makes decisions and keeps the counts: in this process, in Redis, or with leases over Redis. Decorators take an engine and
 * return an engine. Thread-safe.
 *
 * <p>Every engine makes these promises, and the conformance suite of the testkit checks them:
 *
 * <ul>
 *   <li>All or nothing. Either every demand of an ask fits and is charged, or none is charged. No other ask sees a partial charge.
 *   <li>An engine decides by one clock, the same for every process that shares the counts.
 *   <li>{@code decide} returns promptly and never throws. An engine that fails answers with an {@link EngineFailure}.
 *   <li>A pending answer may be late or lost. The caller watches the deadline. The engine does not start a charge that it knows to be past
 *       its deadline, and never repeats a charge whose answer it lost.
 * </ul>
 *
 * <p>Partial grants ({@link Demand#atLeast}) and reserved slots ({@link Demand#maxWaitMicros}) are optional: an engine or an
 * algorithm that does not support them ignores them.
 */
public interface Engine extends AutoCloseable {

    /** Returns a short word for reasons and metrics, such as {@code redis}. */
    String name();

    /** Decides the ask, now or later. */
    Answer decide(Ask ask);

    /**
     * Undoes charges as far as they still count, and never more: a permit that has already been refilled is not given back again. Call this
     * at most once per charge that is not held; giving back a held permit again has no effect. The stage completes when the charges are
     * undone, with true if a held permit among them was still held. It completes exceptionally if the result is unknown; the charge then
     * ages out by itself.
     */
    CompletionStage<Boolean> giveBack(List<Charge> charges);

    /**
     * Extends a held permit by its full time to live from now. The stage completes with true if the permit was still held. It completes
     * exceptionally if this is unknown.
     */
    CompletionStage<Boolean> renew(Charge charge);

    /**
     * Replaces the charges of reservations by their real cost. Gives back unused permits, as far as they still count: none of a window that
     * has ended. Charges permits used beyond the reservation even if they do not fit, to the window of the reservation or, if that has
     * ended, to the present window. Each count settles an id once: a repetition has the same result as the first time and no effect, so a
     * settlement whose answer was lost may be sent again. The stage completes with a result for each settlement, in order. It completes
     * exceptionally if the results are unknown, or if the engine does not settle.
     */
    default CompletionStage<List<SettlementResult>> settle(List<Settlement> settlements) {
        return CompletableFuture.failedFuture(
                new UnsupportedOperationException("settle: " + name() + " (expected: an engine that settles)"));
    }

    /**
     * Drops the data that this process keeps in memory about keys that match: counts, leases and cached refusals. Permits that are held
     * under such a key are dropped with their count; releasing or renewing such a permit later has no effect. Counts that several keys
     * share stay, and so do all counts in a shared store. Safe during decisions: a decision in progress counts before or after. Returns the
     * number of dropped counts.
     */
    default long forget(KeyMatch match) {
        return 0;
    }

    /** Releases the engine's resources. Later asks are not decided. */
    @Override
    void close();
}
