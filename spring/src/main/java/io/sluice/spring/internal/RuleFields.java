package io.sluice.spring.internal;

import io.sluice.rules.cost.Cost;
import io.sluice.rules.model.AbsentPolicy;
import io.sluice.rules.model.By;
import io.sluice.rules.model.LimitOverride;
import io.sluice.rules.model.Rule;
import io.sluice.rules.model.RuleLimit;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.stream.Stream;

/** Finds the request attributes that a rule reads once it applies. */
public final class RuleFields {

    private static final String IP = "ip";

    private RuleFields() {}

    /** Returns the attributes that the rule counts by, that select its overrides or that determine the cost of a request. */
    public static Set<String> of(Rule rule) {
        Set<String> names = new LinkedHashSet<>();
        Stream.concat(rule.limits().stream(), rule.candidate().stream()).forEach(limit -> add(limit, names));
        for (LimitOverride override : rule.overrides()) {
            names.addAll(override.when().keySet());
        }
        return names;
    }

    private static void add(RuleLimit limit, Set<String> names) {
        for (By by : limit.by()) {
            names.add(by.attribute());
            by.otherwise().ifPresent(names::add);
        }
        if (limit.absent() == AbsentPolicy.IP && !limit.by().isEmpty()) {
            names.add(IP);
        }
        limit.cost().flatMap(Cost::attribute).ifPresent(names::add);
    }
}
