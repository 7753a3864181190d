package io.sluice.replay.imports.sentinel;

import io.sluice.replay.imports.draft.Amounts;
import io.sluice.replay.imports.draft.DocumentDraft;
import io.sluice.replay.imports.draft.LimitDraft;
import io.sluice.replay.imports.draft.RuleDraft;
import io.sluice.replay.imports.draft.Section;
import io.sluice.replay.imports.draft.SimpleRegex;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Hot-parameter rules of Sentinel: a count for each value of a parameter.
 *
 * <p>Sentinel fills the bucket of a value only when more than the whole duration has passed since the last fill. A token bucket
 * fills evenly, so its permits come back earlier, but never more than the count in one duration.
 */
final class HotParameterRules {

    private static final long THREADS = 0;
    private static final long QUEUE = 2;

    private HotParameterRules() {}

    static RuleDraft convert(Section hot, DocumentDraft draft) {
        RuleDraft rule = draft.rule(hot.text("resource", ""), hot.place());
        rule.forCode()
                .name(hot.text("resource", ""))
                .comment("paramIdx: the key is argument " + hot.whole("paramIdx", 0)
                        + ": name it, as in @RateLimited(rule = \"…\", key = \"#argument\")");
        FlowRules.cluster(hot, rule);
        long count = Amounts.floor(hot.number("count").orElse(BigDecimal.ZERO)).orElse(0);
        Duration span = Duration.ofSeconds(Math.max(1, hot.whole("durationInSec", 1)));
        long burst = hot.whole("burstCount", 0);
        LimitDraft limit = LimitDraft.by(List.of("key")).absent("skip");
        boolean queue = hot.whole("controlBehavior", 0) == QUEUE;
        if (hot.whole("grade", 1) == THREADS) {
            rule.limit(limit.concurrency(count, FlowRules.CALL_TTL));
        } else if (queue) {
            rule.limit(limit.tokenBucket(Amounts.rate(count, span), count == 0 ? 0 : 1)
                    .maxWait(Duration.ofMillis(hot.whole("maxQueueingTimeMs", 0))));
        } else {
            rule.limit(limit.tokenBucket(Amounts.rate(count, span), count == 0 ? 0 : count + burst));
            warnOfFilling(rule, count, span);
        }
        for (Section item : hot.sections("paramFlowItemList")) {
            long own = item.whole("count", 0);
            String value = SimpleRegex.literal(item.text("object", ""));
            if (hot.whole("grade", 1) == THREADS) {
                rule.override("key", List.of(value), Map.of("limit", own));
            } else {
                rule.override(
                        "key",
                        List.of(value),
                        Map.of("rate", Amounts.rate(own, span), "burst", own == 0 ? 0 : queue ? 1 : own + burst));
            }
        }
        return rule;
    }

    static void warnOfFilling(RuleDraft rule, long count, Duration span) {
        rule.warn("Sentinel fills a count only when more than " + Amounts.span(span)
                + " have passed since the last fill, and cuts fractions of a permit off; here permits come evenly, so until a"
                + " count is full again up to " + count + " more pass, and one more for each fill");
    }
}
