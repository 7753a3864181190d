package io.sluice.center.alert;

import io.sluice.center.alert.Alert.State;
import io.sluice.center.destination.AlertMessage.Event;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The next state of an alert: inactive, pending, firing, resolved. A pure function of the state before, the symptom, and the time.
 *
 * <p>A time in the future counts as now. Such a time comes only from another leader with another clock: {@link Alerts} moves the times
 * when a clock is set.
 *
 * @param next the next state; empty if there is no alert any more
 * @param told the event to send; empty if there is none
 */
record AlertStep(Optional<Alert> next, Optional<Event> told) {

    private static final AlertStep NOTHING = new AlertStep(Optional.empty(), Optional.empty());

    /**
     * Returns the next step.
     *
     * @param before the state before; null if there was no alert
     * @param symptom the problem as it is seen now; null if there is none, or the rule is disabled
     * @param silenced whether a silence keeps the alert from being sent
     * @param now the time in milliseconds since 1970
     */
    static AlertStep of(@Nullable Alert before, @Nullable Symptom symptom, AlertRule rule, boolean silenced, long now) {
        if (before == null || before.state() == State.RESOLVED) {
            return symptom == null ? NOTHING : pending(Alert.pending(rule, symptom, now), rule, silenced, now);
        }
        Alert known = before.notAfter(now);
        if (known.state() == State.PENDING) {
            return symptom == null ? NOTHING : pending(known.seen(symptom, rule.severity()), rule, silenced, now);
        }
        return symptom == null
                ? clearing(known, rule, silenced, now)
                : firing(known.seen(symptom, rule.severity()), rule, silenced, now);
    }

    private static AlertStep pending(Alert alert, AlertRule rule, boolean silenced, long now) {
        if (now - alert.since() < rule.hold().toMillis()) {
            return silent(alert);
        }
        return firing(alert.firing(now), rule, silenced, now);
    }

    /** An alert that started under a silence is sent when the silence ends. */
    private static AlertStep firing(Alert alert, AlertRule rule, boolean silenced, long now) {
        if (silenced) {
            return silent(alert);
        }
        if (alert.toldAt() == 0) {
            return new AlertStep(Optional.of(alert.told(now)), Optional.of(Event.FIRING));
        }
        return now - alert.toldAt() < rule.repeat().toMillis()
                ? silent(alert)
                : new AlertStep(Optional.of(alert.told(now)), Optional.of(Event.REPEATED));
    }

    private static AlertStep clearing(Alert alert, AlertRule rule, boolean silenced, long now) {
        Alert clear = alert.clearSince() == 0 ? alert.clearSince(now) : alert;
        if (rule.enabled() && now - clear.clearSince() < rule.clearFor().toMillis()) {
            return silent(clear);
        }
        // The end of an alert is not sent if its start was not.
        boolean isTold = clear.toldAt() > 0 && !silenced;
        return new AlertStep(Optional.of(clear.resolved(now)), isTold ? Optional.of(Event.RESOLVED) : Optional.empty());
    }

    private static AlertStep silent(Alert alert) {
        return new AlertStep(Optional.of(alert), Optional.empty());
    }
}
