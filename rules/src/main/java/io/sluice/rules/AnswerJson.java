package io.sluice.rules;

import io.sluice.core.LeakyBucket;
import io.sluice.core.Limit;
import io.sluice.core.TokenBucket;
import io.sluice.core.spi.Label;
import io.sluice.rules.Explanation.Standing;
import io.sluice.rules.internal.JsonLine;
import io.sluice.rules.yaml.DocumentError;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Rulings and explanations as JSON, the same at every front door. Milliseconds are rounded up. */
public final class AnswerJson {

    private AnswerJson() {}

    /** The body of {@code POST /v1/check}. */
    public static String check(Ruling.Settled ruling) {
        return JsonLine.of(fields(ruling));
    }

    /** The body of {@code POST /v1/explain}; empty if the request asks for more than a limit can ever hold. */
    public static Optional<String> explain(Explanation explanation) {
        if (!(explanation.ruling() instanceof Ruling.Settled ruling)) {
            return Optional.empty();
        }
        Map<String, @Nullable Object> fields = fields(ruling);
        List<Object> limits = new ArrayList<>();
        explanation.limits().forEach(standing -> limits.add(fields(standing)));
        fields.put("limits", limits);
        return Optional.of(JsonLine.of(fields));
    }

    /** What {@code ./sluice lint --json} prints. */
    public static String lint(List<DocumentError> errors, int rules) {
        List<Object> list = new ArrayList<>();
        for (DocumentError error : errors) {
            Map<String, @Nullable Object> fields = new LinkedHashMap<>();
            fields.put("file", error.file());
            fields.put("line", error.line());
            fields.put("column", error.column());
            fields.put("message", error.message());
            list.add(fields);
        }
        Map<String, @Nullable Object> all = new LinkedHashMap<>();
        all.put("rules", rules);
        all.put("errors", list);
        return JsonLine.of(all);
    }

    private static Map<String, @Nullable Object> fields(Ruling.Settled ruling) {
        Rule rule = ruling.rule();
        Ruling.Reported reported = ruling.reported();
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("allowed", ruling.allowed());
        fields.put("rule", rule == null ? null : rule.id());
        fields.put("limit", reported == null ? null : limit(reported.id(), reported.limit(), reported.by()));
        fields.put("remaining", reported == null ? null : reported.remaining());
        fields.put("retry_after_ms", reported == null && ruling.allowed() ? null : millis(ruling.retryAfter()));
        fields.put("reset_after_ms", reported == null ? null : millis(reported.resetAfter()));
        fields.put("wait_ms", millis(Optional.of(ruling.waitFor())));
        fields.put("mode", ruling.mode());
        fields.put("degraded", ruling.degraded());
        fields.put("rule_version", ruling.ruleVersion());
        fields.put("matched", ruling.matched());
        fields.put(
                "shadow_refused",
                ruling.shadowRefused().stream().map(Label::limit).toList());
        fields.put("permits", ruling.permits());
        Permit permit = ruling.permit();
        fields.put("permit", permit == null ? null : permit.text());
        return fields;
    }

    private static Map<String, @Nullable Object> fields(Standing standing) {
        Map<String, @Nullable Object> fields = limit(standing.id(), standing.limit(), standing.by());
        fields.put("rule", standing.rule());
        fields.put("level", standing.level().name().toLowerCase(Locale.ROOT));
        fields.put("key", standing.key());
        fields.put("used", standing.used());
        fields.put("remaining", standing.remaining());
        fields.put("retry_after_ms", millis(standing.retryAfter()));
        fields.put("reset_after_ms", millis(standing.resetAfter()));
        fields.put("would_allow", standing.wouldAllow());
        fields.put("shadow", standing.shadow());
        fields.put("override", standing.overridden());
        return fields;
    }

    private static Map<String, @Nullable Object> limit(String id, Limit limit, List<String> by) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("id", id);
        fields.put("algorithm", limit.algorithm());
        fields.put("limit", limit.capacity());
        fields.put("window_ms", (limit.windowMicros() + 999) / 1_000);
        if (limit instanceof TokenBucket bucket) {
            fields.put("rate", bucket.rate().toString());
        } else if (limit instanceof LeakyBucket bucket) {
            fields.put("rate", bucket.rate().toString());
        }
        fields.put("by", by);
        return fields;
    }

    private static @Nullable Long millis(Optional<Duration> span) {
        return span.map(time -> time.plusNanos(999_999).toMillis()).orElse(null);
    }
}
