package io.sluice.center.alert;

/**
 * A time in which alerts are shown and not sent. Exactly one of kind and rule is empty, unless the silence is for one subject
 * of a rule. Times are milliseconds since 1970. Immutable.
 *
 * @param kind the word of a kind; empty if the silence is not for a kind
 * @param rule the id of an alert rule; empty if the silence is for a kind
 * @param key the key of the subject; empty for all subjects
 * @param subject the subject for people; empty for all subjects
 */
record Silence(
        long id,
        String kind,
        String rule,
        String key,
        String subject,
        String reason,
        String actor,
        long at,
        long until) {

    Silence numbered(long number) {
        return new Silence(number, kind, rule, key, subject, reason, actor, at, until);
    }

    Silence until(long end) {
        return new Silence(id, kind, rule, key, subject, reason, actor, at, end);
    }

    boolean covers(Alert alert, long now) {
        return covers(alert.kind(), alert.subject(), now);
    }

    boolean covers(AlertKind of, Alert.Subject about, long now) {
        return now < until
                && (kind.isEmpty() || kind.equals(of.word()))
                && (rule.isEmpty() || rule.equals(about.rule()))
                && (key.isEmpty() || key.equals(about.key()));
    }
}
