package io.sluice.center.alert;

import java.util.List;
import java.util.Optional;

/** A source of symptoms. */
@FunctionalInterface
interface Symptoms {

    /**
     * Returns the current problems that a rule looks for; empty if they are not known.
     *
     * @param nowMillis the time in milliseconds since 1970
     */
    Optional<List<Symptom>> of(AlertRule rule, long nowMillis);
}
