package io.sluice.replay.imports.sentinel;

import io.sluice.replay.imports.draft.Amounts;
import io.sluice.replay.imports.draft.DocumentDraft;
import io.sluice.replay.imports.draft.LimitDraft;
import io.sluice.replay.imports.draft.RuleDraft;
import io.sluice.replay.imports.draft.Section;
import io.sluice.replay.imports.draft.SimpleRegex;
import io.sluice.rules.yaml.PrintableText;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Gateway flow rules of Sentinel: a count for a route or an API group, by an attribute of the request if the rule names one.
 */
final class GatewayFlowRules {

    private static final long API_GROUP = 1;
    private static final long THREADS = 0;
    private static final long QUEUE = 2;
    private static final long PREFIX = 1;
    private static final long REGEX = 2;
    private static final long CONTAINS = 3;

    private GatewayFlowRules() {}

    static RuleDraft convert(Section flow, ApiGroups groups, DocumentDraft draft) {
        String name = flow.text("resource", "");
        RuleDraft rule = draft.rule(name, flow.place());
        rule.local();
        if (flow.whole("resourceMode", 0) == API_GROUP) {
            if (!groups.apply(name, rule)) {
                rule.shadow()
                        .warn("resource: the API group " + PrintableText.text(name)
                                + " is not in this file; the rule is in shadow and counts every request: give it a resource,"
                                + " then remove shadow");
            }
        } else {
            rule.forCode()
                    .name(name)
                    .comment("resourceMode: " + PrintableText.text(name)
                            + " is a route: name this rule in the route's filter, or replace for: code by a resource");
        }
        Optional<String> by = flow.section("paramItem").flatMap(item -> parameter(item, rule));
        long count = Amounts.floor(flow.number("count").orElse(BigDecimal.ZERO)).orElse(0);
        Duration span = Duration.ofSeconds(Math.max(1, flow.whole("intervalSec", 1)));
        LimitDraft limit = LimitDraft.by(by.map(List::of).orElse(List.of())).absent("skip");
        if (flow.whole("grade", 1) == THREADS) {
            rule.limit(limit.concurrency(count, FlowRules.CALL_TTL));
        } else if (flow.whole("controlBehavior", 0) == QUEUE) {
            rule.limit(limit.tokenBucket(Amounts.rate(count, span), count == 0 ? 0 : 1)
                    .maxWait(Duration.ofMillis(flow.whole("maxQueueingTimeoutMs", 500))));
        } else {
            rule.limit(limit.tokenBucket(Amounts.rate(count, span), count == 0 ? 0 : count + flow.whole("burst", 0)));
            HotParameterRules.warnOfFilling(rule, count, span);
        }
        return rule;
    }

    /** Returns the attribute that a rule counts by, and limits the rule to the values that its pattern matches. */
    private static Optional<String> parameter(Section item, RuleDraft rule) {
        String field = item.text("fieldName", "");
        long strategy = item.whole("parseStrategy", 0);
        Optional<String> attribute =
                switch ((int) Math.min(strategy, 9)) {
                    case 0 -> Optional.of("ip");
                    case 1 -> Optional.of("header.host");
                    case 2 -> Optional.of("header." + field.toLowerCase(Locale.ROOT));
                    case 3 -> Optional.of("query." + field);
                    default -> Optional.empty();
                };
        if (attribute.isEmpty()) {
            rule.shadow()
                    .warn("parseStrategy: " + strategy
                            + ", a cookie, cannot be said; the rule is in shadow and counts all" + " callers together");
            return attribute;
        }
        item.text("pattern").filter(pattern -> !pattern.isEmpty()).ifPresent(pattern -> {
            long how = item.whole("matchStrategy", 0);
            if (how == PREFIX || how > CONTAINS) {
                rule.comment("matchStrategy: " + how + " is not implemented by Sentinel (1.8.9): the pattern "
                        + PrintableText.text(pattern) + " is ignored, and every value has a count");
                return;
            }
            Optional<List<String>> patterns = how == REGEX
                    ? SimpleRegex.patterns(pattern, true)
                    : Optional.of(List.of(
                            how == CONTAINS ? "*" + SimpleRegex.literal(pattern) + "*" : SimpleRegex.literal(pattern)));
            patterns.ifPresentOrElse(found -> rule.match(attribute.get(), found), () -> rule.shadow()
                    .warn("pattern: " + PrintableText.text(pattern)
                            + " cannot be said; the rule is in shadow and counts every value"));
        });
        return attribute;
    }
}
