package io.sluice.center.alert;

import io.sluice.center.destination.AlertSeverity;
import java.util.Arrays;

/**
 * A problem that exists now, or existed. Times are milliseconds since 1970, and 0 if the event did not happen. Immutable.
 *
 * @param id the number of the alert; 0 before it fires
 * @param rule the id of the alert rule
 * @param since when the problem was first seen
 * @param firedAt when it had lasted long enough
 * @param clearSince when it was first no longer seen, while the alert still fires
 * @param resolvedAt when the alert ended
 * @param toldAt when the alert was last sent
 */
record Alert(
        long id,
        String rule,
        AlertKind kind,
        AlertSeverity severity,
        State state,
        long since,
        long firedAt,
        long clearSince,
        long resolvedAt,
        long toldAt,
        Symptom symptom) {

    /** The state of an alert. */
    enum State {
        /** The problem has not lasted long enough. */
        PENDING("pending"),
        FIRING("firing"),
        RESOLVED("resolved");

        private final String word;

        State(String word) {
            this.word = word;
        }

        String word() {
            return word;
        }

        static State of(String word) {
            return Arrays.stream(values())
                    .filter(each -> each.word.equals(word))
                    .findFirst()
                    .orElseThrow();
        }
    }

    static Alert pending(AlertRule rule, Symptom symptom, long now) {
        return new Alert(0, rule.id(), rule.kind(), rule.severity(), State.PENDING, now, 0, 0, 0, 0, symptom);
    }

    /** Returns a copy with the problem as it is seen now. */
    Alert seen(Symptom now, AlertSeverity as) {
        return new Alert(id, rule, kind, as, state, since, firedAt, 0, resolvedAt, toldAt, now);
    }

    Alert firing(long at) {
        return new Alert(id, rule, kind, severity, State.FIRING, since, at, clearSince, resolvedAt, toldAt, symptom);
    }

    Alert clearSince(long at) {
        return new Alert(id, rule, kind, severity, state, since, firedAt, at, resolvedAt, toldAt, symptom);
    }

    Alert told(long at) {
        return new Alert(id, rule, kind, severity, state, since, firedAt, clearSince, resolvedAt, at, symptom);
    }

    Alert resolved(long at) {
        return new Alert(id, rule, kind, severity, State.RESOLVED, since, firedAt, clearSince, at, toldAt, symptom);
    }

    Alert numbered(long number) {
        return new Alert(number, rule, kind, severity, state, since, firedAt, clearSince, resolvedAt, toldAt, symptom);
    }

    /** Returns a copy without times in the future, which remain after a clock was set back. */
    Alert notAfter(long now) {
        return new Alert(
                id,
                rule,
                kind,
                severity,
                state,
                Math.min(since, now),
                Math.min(firedAt, now),
                Math.min(clearSince, now),
                resolvedAt,
                Math.min(toldAt, now),
                symptom);
    }

    /** Returns a copy with all its times later; a negative span makes them earlier. */
    Alert later(long millis) {
        return new Alert(
                id,
                rule,
                kind,
                severity,
                state,
                since + millis,
                firedAt == 0 ? 0 : firedAt + millis,
                clearSince == 0 ? 0 : clearSince + millis,
                resolvedAt,
                toldAt == 0 ? 0 : toldAt + millis,
                symptom);
    }

    /** Returns the rule and the key, which are the same at each occurrence. */
    Subject subject() {
        return new Subject(rule, symptom.key());
    }

    /** The subject of an alert rule's alert. */
    record Subject(String rule, String key) {}
}
