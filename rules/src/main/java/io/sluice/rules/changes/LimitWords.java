package io.sluice.rules.changes;

import io.sluice.core.limit.Calendar;
import io.sluice.core.limit.Concurrency;
import io.sluice.core.limit.FixedWindow;
import io.sluice.core.limit.LeakyBucket;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.SlidingWindow;
import io.sluice.core.limit.TokenBucket;
import io.sluice.rules.cost.Cost;
import io.sluice.rules.cost.CostText;
import io.sluice.rules.document.Quantities;
import io.sluice.rules.model.By;
import io.sluice.rules.model.LimitName;
import io.sluice.rules.model.LimitOverride;
import io.sluice.rules.model.RuleLimit;
import java.time.ZoneId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Describes a limit of a rule in words. */
public final class LimitWords {

    private static final String NONE = "none";

    private LimitWords() {}

    /** Returns {@code limit per-user}, {@code limit by ip} or {@code candidate limit}. */
    public static String named(String rule, RuleLimit limit, boolean candidate) {
        Optional<String> id = LimitName.ownId(rule, limit);
        String by = limit.by().isEmpty() ? "" : " by " + by(limit.by());
        return (candidate ? "candidate " : "") + "limit"
                + id.map(own -> " " + own).orElse(by);
    }

    /** Returns the numbers with their meaning: {@code 5 per 1m}, {@code 50/s, burst 100}. */
    public static String amount(Limit limit) {
        String wait = limit.maxWaitMicros() == 0 ? "" : ", max_wait " + micros(limit.maxWaitMicros());
        if (limit instanceof TokenBucket bucket) {
            TokenBucket usual = Limit.named(bucket.name()).tokenBucket(bucket.rate());
            return bucket.rate() + (bucket.burst() == usual.burst() ? "" : ", burst " + bucket.burst()) + wait;
        }
        if (limit instanceof LeakyBucket bucket) {
            return bucket.rate() + ", capacity " + bucket.waiting() + wait;
        }
        if (limit instanceof Concurrency concurrency) {
            return concurrency.limit() + " at once, ttl " + Quantities.text(concurrency.ttl());
        }
        boolean weighted = limit instanceof SlidingWindow sliding && sliding.weighted();
        return limit.capacity() + " per " + window(limit) + (weighted ? ", weighted" : "");
    }

    /** Returns the numbers with their meaning, and what else matters for how much passes. */
    static String described(RuleLimit limit) {
        return amount(limit.limit())
                + limit.cost().map(cost -> ", cost " + CostText.line(cost)).orElse("")
                + (limit.durable() ? ", durable" : "");
    }

    /** Returns what an override changes: its numbers, unless they are those of the limit, and what it keeps for others. */
    static String described(LimitOverride override, RuleLimit of) {
        String keep = override.keep().map(own -> "keep " + own).orElse("");
        return override.onlyKeeps(of) ? keep : amount(override.numbers()) + (keep.isEmpty() ? "" : ", " + keep);
    }

    /** Returns the values of a cost by key; empty if there is none. */
    static Map<String, String> cost(Optional<Cost> cost) {
        return cost.map(CostText::words).orElse(Map.of());
    }

    /** Returns the algorithm and the numbers. */
    static String whole(Limit limit) {
        return limit.algorithm() + " " + amount(limit);
    }

    /** Returns what identifies a count within its rule. If one of these values changes, the count starts fresh. */
    static Map<String, String> identity(String rule, RuleLimit limit) {
        Map<String, String> identity = new LinkedHashMap<>();
        identity.put("id", LimitName.ownId(rule, limit).orElse(NONE));
        identity.put("algorithm", limit.limit().algorithm());
        identity.put("by", by(limit.by()));
        if (hasWindow(limit.limit())) {
            identity.put("window", window(limit.limit()));
        }
        if (limit.limit() instanceof SlidingWindow sliding) {
            identity.put("slices", Integer.toString(sliding.slices()));
        }
        identity.put("privacy", limit.privacy().word());
        return identity;
    }

    /** Returns the values that may change while counts stay, each under its own name. */
    static Map<String, String> numbers(Limit limit) {
        Map<String, String> numbers = new LinkedHashMap<>();
        if (limit instanceof TokenBucket bucket) {
            numbers.put("rate", bucket.rate().toString());
            numbers.put("burst", Long.toString(bucket.burst()));
            numbers.put("max_wait", micros(bucket.maxWaitMicros()));
        } else if (limit instanceof LeakyBucket bucket) {
            numbers.put("rate", bucket.rate().toString());
            numbers.put("capacity", Long.toString(bucket.waiting()));
            numbers.put("max_wait", micros(bucket.maxWaitMicros()));
        } else {
            numbers.put("limit", Long.toString(limit.capacity()));
        }
        if (limit instanceof Concurrency concurrency) {
            numbers.put("ttl", Quantities.text(concurrency.ttl()));
        }
        if (limit instanceof SlidingWindow sliding) {
            numbers.put("weighted", Boolean.toString(sliding.weighted()));
        }
        return numbers;
    }

    static String by(List<By> by) {
        return by.isEmpty()
                ? NONE
                : String.join(", ", by.stream().map(By::attribute).toList());
    }

    /** Returns the attributes that are used if a request lacks the first ones. */
    static String otherwise(List<By> by) {
        return String.join(
                ", ", by.stream().map(each -> each.otherwise().orElse(NONE)).toList());
    }

    private static boolean hasWindow(Limit limit) {
        return !(limit instanceof TokenBucket || limit instanceof LeakyBucket || limit instanceof Concurrency);
    }

    private static String window(Limit limit) {
        if (limit instanceof FixedWindow fixed) {
            Calendar calendar = fixed.calendar();
            ZoneId zone = fixed.zone();
            if (calendar != null && zone != null) {
                return calendar.word() + " in " + zone.getId();
            }
        }
        return micros(limit.windowMicros());
    }

    static String micros(long micros) {
        return Quantities.text(Quantities.ofMicros(micros));
    }
}
