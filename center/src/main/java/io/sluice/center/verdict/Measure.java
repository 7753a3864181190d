package io.sluice.center.verdict;

import io.sluice.runtime.fleet.Tally;
import java.util.Arrays;
import java.util.Optional;

/** A measure by which a trial is compared with its control. A higher value is worse for each measure. */
public enum Measure {

    /** Refused requests among all requests. */
    REFUSALS("refusals", 0.01, false),

    /** Server errors and missing answers among all forwarded requests. */
    ERRORS("errors", 0.01, false),

    /** The mean latency behind the gateway, in microseconds. */
    LATENCY("latency", 0.10, true),

    /** Requests that were decided without the store, among all requests. */
    DEGRADED("degraded", 0.01, false);

    private final String word;

    private final double usualTolerance;
    private final boolean relative;

    Measure(String word, double usualTolerance, boolean relative) {
        this.word = word;
        this.usualTolerance = usualTolerance;
        this.relative = relative;
    }

    /** Returns the measure with this name in the API. */
    public static Optional<Measure> of(String word) {
        return Arrays.stream(values())
                .filter(measure -> measure.word().equals(word))
                .findFirst();
    }

    /** Returns the name in the API, such as {@code refusals}. */
    public String word() {
        return word;
    }

    public double usualTolerance() {
        return usualTolerance;
    }

    /** Returns whether the tolerance is a part of the control's value. Otherwise it is a difference of two shares. */
    public boolean relative() {
        return relative;
    }

    long part(Tally tally) {
        return switch (this) {
            case REFUSALS -> tally.refused();
            case ERRORS -> tally.errors();
            case LATENCY -> tally.latencyMicros();
            case DEGRADED -> tally.degraded();
        };
    }

    long whole(Tally tally) {
        return switch (this) {
            case REFUSALS, DEGRADED -> tally.requests();
            case ERRORS, LATENCY -> tally.answers();
        };
    }

    /** Returns the name of the things that the whole counts. */
    String noun() {
        return switch (this) {
            case REFUSALS, DEGRADED -> "requests";
            case ERRORS, LATENCY -> "answers";
        };
    }
}
