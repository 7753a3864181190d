package io.sluice.center.alert;

import io.sluice.center.destination.AlertSeverity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The condition of an alert. Immutable.
 *
 * @param id the word of its kind if it is built in
 * @param revision increases with each change; 0 if the rule was never changed
 * @param hold how long a problem must last before the alert fires
 * @param clearFor how long the problem must be absent before the alert is resolved
 * @param repeat the time after which a firing alert is sent again
 */
record AlertRule(
        String id,
        AlertKind kind,
        long revision,
        boolean enabled,
        AlertSeverity severity,
        Duration hold,
        Duration clearFor,
        Duration repeat,
        Thresholds thresholds) {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration REPEAT = Duration.ofHours(4);
    private static final double USUAL_TENANT_SHARE = 20;

    /** Returns the built-in rules, one of each kind. */
    static List<AlertRule> builtIn() {
        return new ArrayList<>(
                Arrays.stream(AlertKind.values()).map(AlertRule::builtIn).toList());
    }

    static AlertRule builtIn(AlertKind kind) {
        Thresholds usual = Thresholds.USUAL;
        return switch (kind) {
            case CALLER_REFUSED -> of(kind, AlertSeverity.INFO, Duration.ZERO, usual);
            case TENANT_SHARE -> of(kind, AlertSeverity.WARNING, MINUTE, usual.share(USUAL_TENANT_SHARE));
            case REFUSAL_SHARE -> of(kind, AlertSeverity.WARNING, MINUTE, usual);
            case DEGRADED -> of(kind, AlertSeverity.CRITICAL, Duration.ofSeconds(30), usual);
            case BREAKER_OPEN -> of(kind, AlertSeverity.WARNING, Duration.ofSeconds(10), usual);
            case RELEASE_NOT_ACKNOWLEDGED -> of(kind, AlertSeverity.CRITICAL, Duration.ZERO, usual);
            case DRIFT -> of(kind, AlertSeverity.WARNING, MINUTE, usual);
            case AUDIT_NOT_WITNESSED -> of(kind, AlertSeverity.CRITICAL, MINUTE, usual.after(Duration.ofMinutes(10)));
            case NODE_SILENT -> of(kind, AlertSeverity.WARNING, MINUTE, usual);
        };
    }

    private static AlertRule of(AlertKind kind, AlertSeverity severity, Duration hold, Thresholds thresholds) {
        return new AlertRule(kind.word(), kind, 0, true, severity, hold, MINUTE, REPEAT, thresholds);
    }

    /** Returns a copy with another name and revision. */
    AlertRule named(String other, long number) {
        return new AlertRule(other, kind, number, enabled, severity, hold, clearFor, repeat, thresholds);
    }

    boolean isBuiltIn() {
        return id.equals(kind.word());
    }
}
