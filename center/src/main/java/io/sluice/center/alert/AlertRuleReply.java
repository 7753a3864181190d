package io.sluice.center.alert;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.sluice.rules.yaml.Spans;
import org.jspecify.annotations.Nullable;

/**
 * An alert rule. Thresholds that its kind does not have are null.
 *
 * @param builtIn whether the rule is built in
 * @param hold how long a problem must last before the alert fires
 * @param clearFor how long the problem must be absent before the alert is resolved
 * @param repeat the time after which a firing alert is sent again
 */
public record AlertRuleReply(
        String id,
        String kind,
        long revision,
        boolean builtIn,
        boolean enabled,
        String severity,
        @JsonProperty("for") String hold,
        String clearFor,
        String repeat,
        @Nullable Long refused,
        @Nullable Double share,
        @Nullable Double factor,
        @Nullable Long requests,
        @Nullable String within,
        @Nullable String after,
        @Nullable String rule) {

    static AlertRuleReply of(AlertRule rule) {
        Thresholds all = rule.thresholds();
        return new AlertRuleReply(
                rule.id(),
                rule.kind().word(),
                rule.revision(),
                rule.isBuiltIn(),
                rule.enabled(),
                rule.severity().word(),
                Spans.text(rule.hold()),
                Spans.text(rule.clearFor()),
                Spans.text(rule.repeat()),
                own(rule, Thresholds.REFUSED, all.refused()),
                own(rule, Thresholds.SHARE, all.share()),
                own(rule, Thresholds.FACTOR, all.factor()),
                own(rule, Thresholds.REQUESTS, all.requests()),
                own(rule, Thresholds.WITHIN, Spans.text(all.within())),
                own(rule, Thresholds.AFTER, Spans.text(all.after())),
                own(rule, Thresholds.RULE, all.rule()));
    }

    private static <T> @Nullable T own(AlertRule rule, String field, T value) {
        return rule.kind().fields().contains(field) ? value : null;
    }
}
