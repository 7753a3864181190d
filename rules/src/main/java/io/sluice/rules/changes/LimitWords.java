package io.sluice.rules.changes;

import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Parameter;
import io.sluice.core.limit.Rate;
import io.sluice.rules.cost.Cost;
import io.sluice.rules.cost.CostText;
import io.sluice.rules.document.Quantities;
import io.sluice.rules.model.By;
import io.sluice.rules.model.LimitName;
import io.sluice.rules.model.LimitOverride;
import io.sluice.rules.model.RuleLimit;
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
        Rate rate = limit.rate();
        if (rate != null) {
            Parameter number = limit.kind().number();
            boolean shown = limit.kind().queues() || limit.givenParameters().containsKey(number);
            return rate
                    + (shown ? ", " + number.word() + " " + limit.parameters().get(number) : "")
                    + (limit.maxWaitMicros() == 0 ? "" : ", max_wait " + micros(limit.maxWaitMicros()));
        }
        if (limit.kind().holds()) {
            return limit.capacity() + " at once, ttl " + micros(limit.windowMicros());
        }
        return limit.capacity() + " per " + shape(limit).get("window") + (limit.weighted() ? ", weighted" : "");
    }

    /** Returns the numbers with their meaning, and the other settings that affect the number of admitted requests. */
    static String described(RuleLimit limit) {
        return amount(limit.limit())
                + limit.cost().map(cost -> ", cost " + CostText.line(cost)).orElse("")
                + (limit.durable() ? ", durable" : "");
    }

    /**
     * Returns the changes by an override: its numbers, unless they equal the numbers of the limit, and the permits that it
     * keeps for other callers.
     */
    static String described(LimitOverride override, RuleLimit of) {
        String keep = override.keep().map(own -> "keep " + own).orElse("");
        return override.onlyKeeps(of) ? keep : amount(override.numbers()) + (keep.isEmpty() ? "" : ", " + keep);
    }

    /** Returns the values of a cost by key; empty if there is no cost. */
    static Map<String, String> cost(Optional<Cost> cost) {
        return cost.map(CostText::words).orElse(Map.of());
    }

    /** Returns the algorithm and the numbers. */
    static String whole(Limit limit) {
        return limit.algorithm() + " " + amount(limit);
    }

    /** Returns the values that identify a count within its rule. If one of these values changes, the count starts fresh. */
    static Map<String, String> identity(String rule, RuleLimit limit) {
        Map<String, String> identity = new LinkedHashMap<>();
        identity.put("id", LimitName.ownId(rule, limit).orElse(NONE));
        identity.put("algorithm", limit.limit().algorithm());
        identity.put("by", by(limit.by()));
        identity.putAll(shape(limit.limit()));
        identity.put("privacy", limit.privacy().word());
        return identity;
    }

    /** Returns the parameters that start a fresh count if they change. A calendar and its zone are one window. */
    static Map<String, String> shape(Limit limit) {
        Map<String, String> shape = new LinkedHashMap<>();
        limit.parameters().forEach((parameter, value) -> {
            if (parameter.isShape()) {
                boolean ofCalendar = parameter == Parameter.ALIGN || parameter == Parameter.ZONE;
                String word = (ofCalendar ? Parameter.WINDOW : parameter).word();
                shape.merge(word, Quantities.written(value).toString(), (calendar, zone) -> calendar + " in " + zone);
            }
        });
        return shape;
    }

    /** Returns the values that may change while counts stay, each under its own name. */
    static Map<String, String> numbers(Limit limit) {
        Map<String, String> numbers = new LinkedHashMap<>();
        limit.parameters().forEach((parameter, value) -> {
            if (!parameter.isShape()) {
                numbers.put(parameter.word(), Quantities.written(value).toString());
            }
        });
        return numbers;
    }

    static String by(List<By> by) {
        return by.isEmpty()
                ? NONE
                : String.join(", ", by.stream().map(By::attribute).toList());
    }

    /** Returns the attributes that are used if a request lacks the first attributes. */
    static String otherwise(List<By> by) {
        return String.join(
                ", ", by.stream().map(each -> each.otherwise().orElse(NONE)).toList());
    }

    static String micros(long micros) {
        return Quantities.text(Quantities.ofMicros(micros));
    }
}
