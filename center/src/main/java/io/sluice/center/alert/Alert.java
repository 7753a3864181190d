package io.sluice.center.alert;

import io.sluice.center.settings.AlertSeverity;
import java.util.Arrays;

/**
 * Something that is wrong, or was. Times are milliseconds since 1970, and 0 if it did not happen. Immutable.
 *
 * @param id 0 before it fires
 * @param rule the id of the alert rule
 * @param since when it began
 * @param firedAt when it had lasted long enough
 * @param clearSince since when it is not seen any more, while it still fires
 * @param resolvedAt when it was over
 * @param toldAt when it was last sent to somebody
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

    /** Where an alert is. */
    enum State {
        /** It has not lasted long enough. */
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

    /** Returns the same with what is seen now. */
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

    /** Returns the same without times in the future, which a clock leaves behind that was set back. */
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

    /** Returns the same with all its times later; a negative span makes them earlier. */
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

    /** Returns what is the same at each occurrence. */
    Subject subject() {
        return new Subject(rule, symptom.key());
    }

    /** What an alert rule says something about. */
    record Subject(String rule, String key) {}
}
