package io.sluice.core.history;

import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.time.Clock;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The answer that a caller received, unless a {@link SpendEvent} already records it. If an ask goes through several engines,
 * each records its answer under the same id. Immutable.
 *
 * @param ask the ask, see {@link AskTraces}
 * @param demands the number of demands of the ask
 * @param charging whether the ask was meant to charge; false if it only looked
 * @param source the source of the answer
 * @param degraded the reason why the intended engine did not decide; null if it did
 * @param refusing the count that refused, or the first of several such counts; null if allowed or unknown
 * @param permits the permits that the first demand asked for
 * @param ruleVersion the version of the rules in force; 0 without rules
 * @param ownNanos the node's monotonic time of the answer; for {@link Source#MEMORY} the time of the question, because the
 *     cache is read right after it, and the node may be delayed until the answer is recorded
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

    /** Creates the event for a decision made now, under the ask's trace or a new trace if it has none. */
    public static AnswerEvent of(
            Ask ask, EngineDecision decided, Source source, @Nullable String refusing, Clock clock) {
        List<Demand> demands = ask.demands();
        return new AnswerEvent(
                ask.trace().isEmpty() ? AskTraces.next() : ask.trace(),
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

    /** Returns the same event at another monotonic time. */
    public AnswerEvent at(long nanos) {
        return new AnswerEvent(
                ask, demands, charging, allowed, source, degraded, refusing, permits, ruleVersion, nanos, epochMicros);
    }

    /** The source of an answer. */
    public enum Source {
        /** The store decided all demands. */
        STORE("STORE"),
        /** Permits that the node had taken in advance covered some or all demands; the store decided the other demands. */
        LEASE("LEASE"),
        /** The node had cached a refusal of the store. */
        MEMORY("MEMORY"),
        /** The store could not decide, or the node did not ask it: this process decided alone. */
        STAND_IN("STAND_IN");

        private final String word;

        Source(String word) {
            this.word = word;
        }

        /** Returns the spelling in recordings. */
        public String word() {
            return word;
        }

        /**
         * Returns the source with this word.
         *
         * @throws IllegalArgumentException if there is none
         */
        public static Source of(String word) {
            for (Source each : values()) {
                if (each.word.equals(word)) {
                    return each;
                }
            }
            throw new IllegalArgumentException("source: unknown (expected: STORE, LEASE, MEMORY or STAND_IN)");
        }
    }
}
