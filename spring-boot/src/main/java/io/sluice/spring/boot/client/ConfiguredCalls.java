package io.sluice.spring.boot.client;

import io.sluice.core.limit.Limit;
import io.sluice.rules.model.Handling;
import io.sluice.spring.boot.client.ClientLimitProperties.ClientLimit;
import io.sluice.spring.client.CallRule;
import io.sluice.spring.client.HostLimits;
import io.sluice.spring.client.LimitedCalls;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the limits in {@code sluice.outbound}. Stateless. */
final class ConfiguredCalls {

    private static final Pattern AT_MOST = Pattern.compile("(\\d{1,12})\\s*/\\s*(\\d{0,6})(ms|s|m|h|d)");
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,100}");

    private ConfiguredCalls() {}

    /** @throws IllegalArgumentException with the name of the invalid property */
    static HostLimits read(Map<String, ClientLimit> limits) {
        HostLimits all = HostLimits.NONE;
        for (Map.Entry<String, ClientLimit> one : new TreeMap<>(limits).entrySet()) {
            try {
                all = all.with(one.getValue().hosts(), calls(one.getKey(), one.getValue()));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("sluice.outbound." + one.getKey() + "." + e.getMessage(), e);
            }
        }
        return all;
    }

    private static LimitedCalls calls(String name, ClientLimit limit) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "name: \"" + name + "\" (expected: 1 to 100 letters, digits, '-' and '_')");
        }
        if (limit.hosts().isEmpty()) {
            throw new IllegalArgumentException("hosts: none (expected: at least one, such as api.example.com)");
        }
        LimitedCalls calls = limited(name, limit).waitingUpTo(limit.maxWait());
        return limit.heedRetryAfter() ? heeding(calls, limit.perHost()) : calls;
    }

    private static LimitedCalls heeding(LimitedCalls calls, boolean perHost) {
        return perHost ? calls.heedingRetryAfter() : calls.heedingRetryAfterTogether();
    }

    private static LimitedCalls limited(String name, ClientLimit limit) {
        String rule = limit.rule();
        List<Limit> own = limits("client-" + name, limit);
        if (rule != null && !rule.isBlank()) {
            if (!own.isEmpty()) {
                throw new IllegalArgumentException(
                        "rule: \"" + rule + "\" together with at-most or concurrency (expected: only one of the two)");
            }
            return LimitedCalls.of(rule);
        }
        if (own.isEmpty()) {
            throw new IllegalArgumentException(
                    "at-most: none (expected: calls per period such as 5/s, a concurrency, or a rule)");
        }
        Double share = limit.localShare();
        Handling handling =
                CallRule.handling(limit.onFailure(), share == null ? OptionalDouble.empty() : OptionalDouble.of(share));
        return LimitedCalls.of(CallRule.of("client-" + name, handling, limit.perHost(), own.toArray(Limit[]::new)));
    }

    private static List<Limit> limits(String rule, ClientLimit limit) {
        List<Limit> own = new ArrayList<>(2);
        String atMost = limit.atMost();
        if (atMost != null) {
            own.add(window(rule, atMost, limit.margin()));
        }
        Long concurrency = limit.concurrency();
        if (concurrency != null) {
            own.add(CallRule.limit(rule, own.size()).concurrency(concurrency, limit.concurrencyTtl()));
        }
        return own;
    }

    /**
     * Returns a strict sliding window, so that no period of the third party ever contains more calls, for any alignment of its
     * periods.
     */
    private static Limit window(String rule, String atMost, Duration margin) {
        Matcher parts = AT_MOST.matcher(atMost.trim());
        if (!parts.matches() || margin.isNegative()) {
            throw margin.isNegative()
                    ? new IllegalArgumentException("margin: " + margin + " (expected: 0 or more, such as 50ms)")
                    : new IllegalArgumentException(
                            "at-most: \"" + atMost + "\" (expected: calls per period, such as 5/s, 100/m or 20/10s)");
        }
        long count = parts.group(2).isEmpty() ? 1 : Long.parseLong(parts.group(2));
        Duration span =
                switch (parts.group(3)) {
                    case "ms" -> Duration.ofMillis(count);
                    case "s" -> Duration.ofSeconds(count);
                    case "m" -> Duration.ofMinutes(count);
                    case "h" -> Duration.ofHours(count);
                    default -> Duration.ofDays(count);
                };
        return CallRule.limit(rule, 0).slidingWindow(Long.parseLong(parts.group(1)), span.plus(margin));
    }
}
