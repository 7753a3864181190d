package io.sluice.center.alert;

import java.util.List;
import java.util.Optional;

/** A source of symptoms. */
@FunctionalInterface
interface Symptoms {

    /**
     * Returns what is wrong by a rule now; empty if that is not known.
     *
     * @param nowMillis in milliseconds since 1970
     */
    Optional<List<Symptom>> of(AlertRule rule, long nowMillis);
}
