package io.sluice.core.history;

import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.time.Clock;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What somebody who asked was told, unless a {@link SpendEvent} says it already. An ask that goes through several engines is answered by each, under one id. Immutable.
 *
 * @param ask which ask, see {@link AskIds}
 * @param demands how many demands the ask had
 * @param charging whether it was to charge, or only looked
 * @param source who knew the answer
 * @param degraded why somebody else than the engine that was meant to decided; null if all is well
 * @param refusing the count that refused, the first if several did; null if allowed or not known
 * @param permits what was asked for, of the first demand
 * @param ruleVersion the rules that were in force; 0 without rules
 * @param ownNanos the node's monotonic time of the answer
 * @param epochMicros the node's wall time of the answer
 */
public record AnswerEvent(
        String ask,
        int demands,
        boolean charging,
        boolean allowed,
        Source source,
        @Nullable String degraded,
        @Nullable String refusing,
        long permits,
        long ruleVersion,
        long ownNanos,
        long epochMicros)
        implements HistoryEvent {

    /** That this was decided now; under the ask's name, or a new one if it has none. */
    public static AnswerEvent of(
            Ask ask, EngineDecision decided, Source source, @Nullable String refusing, Clock clock) {
        List<Demand> demands = ask.demands();
        return new AnswerEvent(
                ask.id().isEmpty() ? AskIds.next() : ask.id(),
                demands.size(),
                ask.charges(),
                decided.allowed(),
                source,
                decided.degraded(),
                refusing,
                demands.isEmpty() ? 0 : demands.get(0).permits(),
                ask.ruleVersion(),
                clock.nanoTime(),
                clock.epochMicros());
    }

    /** Who knew the answer. */
    public enum Source {
        /** The store decided, all of it. */
        STORE,
        /** Permits that the node had taken in advance, for some demands or all; the store decided the others. */
        LEASE,
        /** The node remembered a refusal of the store. */
        MEMORY,
        /** The store could not decide, or the node would not ask it: a process alone. */
        STAND_IN
    }
}
