package io.sluice.rules.evaluate;

import io.sluice.core.Decision;
import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Label;
import io.sluice.rules.model.Action;
import io.sluice.rules.model.Level;
import io.sluice.rules.model.Rule;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The answer to a request: what the rules in force say of it. Immutable. */
public sealed interface Ruling {

    /**
     * The request may pass, or may not.
     *
     * @param allowed whether it may; of a {@linkplain #looked() look}, whether one permit would
     * @param action what decided: limits, or a rule that denies or exempts
     * @param rule the rule that denied or exempted, or whose limit is reported; null if there is none
     * @param reported the limit that decided; null if no limit did
     * @param retryAfter zero if allowed; else until all refusing limits would let a lone caller pass, empty if never
     * @param waitFor how long an allowed caller has to wait for its time slot; zero means now
     * @param mode how it was decided, as answers spell it
     * @param degraded why the shared store did not decide; null if it did or was not meant to
     * @param ruleVersion the rules that were in force
     * @param matched the ids of the matching rules, in document order
     * @param shadowRefused the shadow and candidate limits that would have refused
     * @param permits what was asked for; 0 only looks
     * @param decisions what the engines said, one for each that was asked
     * @param permit what the caller holds of concurrency limits, those in shadow too; null if nothing
     */
    record Settled(
            boolean allowed,
            Action action,
            @Nullable Rule rule,
            @Nullable Reported reported,
            Optional<Duration> retryAfter,
            Duration waitFor,
            String mode,
            @Nullable String degraded,
            long ruleVersion,
            List<String> matched,
            List<Label> shadowRefused,
            long permits,
            List<Decision> decisions,
            @Nullable Permit permit)
            implements Ruling {

        public Settled {
            matched = List.copyOf(matched);
            shadowRefused = List.copyOf(shadowRefused);
            decisions = List.copyOf(decisions);
        }

        /** The same, once the caller has waited. */
        Settled withoutWait() {
            return waitFor.isZero()
                    ? this
                    : new Settled(
                            allowed,
                            action,
                            rule,
                            reported,
                            retryAfter,
                            Duration.ZERO,
                            mode,
                            degraded,
                            ruleVersion,
                            matched,
                            shadowRefused,
                            permits,
                            decisions,
                            permit);
        }

        /** Whether nothing was to be charged. */
        public boolean looked() {
            return permits == 0;
        }
    }

    /**
     * The request asks for more permits than a matching limit can ever hold. Nothing was charged.
     *
     * @param limit the limit's id as reports call it
     * @param capacity the most it can hold, at least 1
     */
    record Impossible(String rule, String limit, long permits, long capacity) implements Ruling {}

    /**
     * The limit that a ruling is about.
     *
     * @param id {@code <rule>.<id or index>}
     * @param level how wide it reaches
     * @param by the attributes that tell callers apart
     * @param remaining permits left after the decision
     * @param resetAfter until the limit is as if unused; empty if that will not come by waiting
     */
    record Reported(
            String rule,
            String id,
            Level level,
            Limit limit,
            List<String> by,
            long remaining,
            Optional<Duration> resetAfter) {

        public Reported {
            by = List.copyOf(by);
        }
    }
}
