package io.sluice.spring.boot;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.evaluate.RulingListener;
import io.sluice.rules.model.Rule;

/**
 * Records each decision as an observation. The thread that asks for the decision starts it, so the observation becomes part of
 * the request's trace. Without an observation handler the cost is a single check. Thread-safe.
 */
final class ObservedRulings implements RulingListener {

    static final String NAME = "sluice.decision";
    private static final String NONE = "none";

    private final ObservationRegistry registry;

    ObservedRulings(ObservationRegistry registry) {
        this.registry = registry;
    }

    @Override
    public RulingListener begun() {
        if (registry.isNoop()) {
            return this;
        }
        Observation observation = Observation.createNotStarted(NAME, registry)
                .contextualName("sluice decision")
                .start();
        return new Observed(observation);
    }

    @Override
    public void ruled(Ruling.Settled ruling, long elapsedNanos) {
        // No handler is registered.
    }

    /** The observation of one decision. */
    private record Observed(Observation observation) implements RulingListener {

        @Override
        public void ruled(Ruling.Settled ruling, long elapsedNanos) {
            Rule rule = ruling.rule();
            Ruling.Reported reported = ruling.reported();
            stop(
                    rule == null ? NONE : rule.id(),
                    reported == null ? NONE : reported.id(),
                    ruling.mode(),
                    outcome(ruling));
        }

        @Override
        public void abandoned() {
            stop(NONE, NONE, NONE, "left");
        }

        private void stop(String rule, String limit, String mode, String outcome) {
            observation
                    .lowCardinalityKeyValue("rule", rule)
                    .lowCardinalityKeyValue("limit", limit)
                    .lowCardinalityKeyValue("mode", mode)
                    .lowCardinalityKeyValue("outcome", outcome)
                    .stop();
        }
    }

    private static String outcome(Ruling.Settled ruling) {
        if (ruling.looked()) {
            return "looked";
        }
        return ruling.allowed() ? "allowed" : "refused";
    }
}
