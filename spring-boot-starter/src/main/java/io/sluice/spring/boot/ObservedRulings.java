package io.sluice.spring.boot;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.sluice.rules.Rule;
import io.sluice.rules.Ruling;
import io.sluice.rules.RulingListener;

/**
 * Makes each decision an observation, begun by the thread that asks, so that it is part of the trace of the request. While nobody handles
 * observations it costs one question. Safe for use by many threads.
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
        return (ruling, nanos) -> stop(observation, ruling);
    }

    @Override
    public void ruled(Ruling.Settled ruling, long elapsedNanos) {
        // Nobody handles observations.
    }

    private static void stop(Observation observation, Ruling.Settled ruling) {
        Rule rule = ruling.rule();
        Ruling.Reported reported = ruling.reported();
        observation
                .lowCardinalityKeyValue("rule", rule == null ? NONE : rule.id())
                .lowCardinalityKeyValue("limit", reported == null ? NONE : reported.id())
                .lowCardinalityKeyValue("mode", ruling.mode())
                .lowCardinalityKeyValue("outcome", outcome(ruling))
                .stop();
    }

    private static String outcome(Ruling.Settled ruling) {
        if (ruling.looked()) {
            return "looked";
        }
        return ruling.allowed() ? "allowed" : "refused";
    }
}
