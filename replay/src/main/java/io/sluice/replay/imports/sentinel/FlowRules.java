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
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Flow rules of Sentinel.
 *
 * <p>Sentinel counts requests per second in two buckets of 500 ms, which begin at multiples of 500 ms since 1970. It refuses a request if
 * the present bucket and the previous bucket already hold the count. A strict sliding window of 500 ms with one slice does exactly this: it
 * counts the present slice and, in full, the slice before it.
 */
final class FlowRules {

    static final Duration CALL_TTL = Duration.ofHours(1);

    private static final Duration BUCKET = Duration.ofMillis(500);
    private static final Pattern WITH_METHOD = Pattern.compile("(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS):(/.*)");

    private static final long THREADS = 0;
    private static final long WARM_UP = 1;
    private static final long QUEUE = 2;
    private static final long WARM_UP_QUEUE = 3;

    private FlowRules() {}

    static void convert(Section flow, DocumentDraft draft) {
        RuleDraft rule = draft.rule(flow.text("resource", ""), flow.place());
        long strategy = flow.whole("strategy", 0);
        if (strategy != 0) {
            rule.warn("strategy: "
                    + (strategy == 1 ? "a limit by another resource's traffic" : "a limit by the entry of a call chain")
                    + " cannot be said; the rule is not imported");
            return;
        }
        resource(flow, rule);
        origin(flow, rule);
        cluster(flow, rule);
        BigDecimal count = flow.number("count").orElse(BigDecimal.ZERO);
        long whole = Amounts.floor(count).orElse(0);
        if (flow.whole("grade", 1) == THREADS) {
            rule.limit(LimitDraft.by(List.of()).concurrency(whole, CALL_TTL))
                    .comment("a permit is given up after " + Amounts.span(CALL_TTL) + " (ttl) if its holder died");
            return;
        }
        long behavior = flow.whole("controlBehavior", 0);
        if (behavior == QUEUE || behavior == WARM_UP_QUEUE) {
            queue(flow, rule, count);
        } else {
            rule.limit(LimitDraft.by(List.of()).slidingWindow(whole, BUCKET, 1, false))
                    .comment(whole
                            + " per second, as Sentinel counts it: in two buckets of 500 ms, the present one and the"
                            + " one before; for any whole second write window: 1s without slices");
        }
        if (behavior == WARM_UP || behavior == WARM_UP_QUEUE) {
            rule.warn("controlBehavior: a cold resource starts at a third of the count and reaches it after "
                    + flow.whole("warmUpPeriodSec", 10)
                    + " s; here the whole count is there at once, up to three times as much until then");
        }
    }

    private static void queue(Section flow, RuleDraft rule, BigDecimal count) {
        long wait = flow.whole("maxQueueingTimeMs", 500);
        rule.limit(LimitDraft.by(List.of())
                .tokenBucket(Amounts.rate(count), count.signum() == 0 ? 0 : 1)
                .maxWait(Duration.ofMillis(wait)));
        rule.comment("controlBehavior: requests are spaced evenly and wait up to " + wait
                + " ms; the caller of the decision waits. Sentinel may round the distance to milliseconds");
    }

    /** Sets the requests that a rule applies to: a path, a method and a path, or a name that code uses. */
    static void resource(Section flow, RuleDraft rule) {
        String name = flow.text("resource", "");
        Matcher method = WITH_METHOD.matcher(name);
        if (flow.flag("regex", false)) {
            rule.shadow().warn("resource: a regular expression; the rule is in shadow and counts everything");
        } else if (method.matches()) {
            rule.methods(List.of(method.group(1)));
            path(method.group(2), rule);
        } else if (name.startsWith("/")) {
            path(name, rule);
        } else {
            rule.forCode()
                    .name(name)
                    .comment(
                            "resource " + PrintableText.text(name)
                                    + " is a name in code: name this rule in @RateLimited or RuleClient instead of @SentinelResource");
        }
    }

    private static void path(String path, RuleDraft rule) {
        if (path.contains("*")) {
            rule.match("path", List.of(path.replace("**", "*")));
        } else {
            rule.resource(path);
        }
    }

    private static void origin(Section flow, RuleDraft rule) {
        String origin = flow.text("limitApp", "default");
        if (origin.equals("other")) {
            rule.shadow()
                    .warn(
                            "limitApp: other means the callers that no other rule names; the rule is in shadow and counts all"
                                    + " of them");
        } else if (!origin.equals("default") && !origin.isEmpty()) {
            rule.match(
                    "app",
                    List.of(origin.split(",", -1)).stream()
                            .map(String::strip)
                            .map(SimpleRegex::literal)
                            .toList());
        }
    }

    /** Sentinel counts in each process unless a token server counts for all of them. */
    static void cluster(Section flow, RuleDraft rule) {
        if (!flow.flag("clusterMode", false)) {
            rule.local();
        } else if (flow.section("clusterConfig")
                .filter(config -> config.whole("thresholdType", 0) == 0)
                .isPresent()) {
            rule.warn(
                    "thresholdType: 0 multiplies the count by the number of clients; here it is the count of all of them"
                            + " together");
        }
    }
}
