package io.sluice.core.spi;

import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Where decisions are made and counts live: this process, Redis, leases over Redis. Decorators take an engine and return one.
 * Safe for use by many threads.
 *
 * <p>What every engine promises, and the conformance suite of the testkit checks:
 *
 * <ul>
 *   <li>All or nothing. Every demand of an ask fits and every one is charged, or nothing is charged at all. No other ask
 *       sees half of one.
 *   <li>It decides by one clock of its own, the same for everybody who shares the counts.
 *   <li>{@code decide} returns promptly and never throws. An engine that fails answers {@link EngineFailure}.
 *   <li>A pending answer may be lost or late. It is the asker who watches the deadline. The engine does not start a charge
 *       that it knows to be past its deadline, and never repeats one whose answer it lost.
 * </ul>
 *
 * <p>Partial grants ({@link Demand#atLeast}) and reserved slots ({@link Demand#maxWaitMicros}) are offers: an engine or an
 * algorithm that cannot take them answers as if they had not been made.
 */
public interface Engine extends AutoCloseable {

    /** A short word for reasons and metrics, such as {@code redis}. */
    String name();

    /** Decides the ask, at once or later. */
    Answer decide(Ask ask);

    /**
     * Undoes charges as far as they still count, never beyond: a permit that has come back by itself is not given back
     * again. Call it at most once for a charge. The stage completes when it is done; it completes exceptionally if that is
     * not known, and then the charge ages out by itself.
     */
    CompletionStage<Void> giveBack(List<Charge> charges);

    /**
     * Lets a permit that is held be held for its whole time to live from now on. The stage says whether it was still held; it
     * completes exceptionally if that is not known.
     */
    CompletionStage<Boolean> renew(Charge charge);

    /** Lets go of what the engine holds. Asks that come later are undecided. */
    @Override
    void close();
}
