package io.sluice.spring.gateway;

import io.sluice.spring.named.RuleReference;
import io.sluice.spring.named.RuleUser;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.cloud.gateway.config.GatewayProperties;
import org.springframework.cloud.gateway.filter.FilterDefinition;
import org.springframework.cloud.gateway.support.NameUtils;

/** The rules that routes in the properties and in code name at startup. Routes that arrive later from other places are not known yet. */
public final class RulesOfRoutes implements RuleUser {

    private static final String FILTER = NameUtils.normalizeFilterFactoryName(SluiceGatewayFilterFactory.class);
    private static final String FIRST_ARGUMENT = NameUtils.GENERATED_NAME_PREFIX + "0";

    private final GatewayProperties properties;
    private final SluiceRateLimiter limiter;
    private final SluiceGatewayFilterFactory filters;

    public RulesOfRoutes(GatewayProperties properties, SluiceRateLimiter limiter, SluiceGatewayFilterFactory filters) {
        this.properties = properties;
        this.limiter = limiter;
        this.filters = filters;
    }

    @Override
    public List<RuleReference> named() {
        List<RuleReference> named = new ArrayList<>();
        add("default-filters", properties.getDefaultFilters(), named);
        properties.getRoutes().forEach(route -> add("route " + route.getId(), route.getFilters(), named));
        limiter.getConfig().forEach((route, config) -> {
            String rule = config.getRule();
            if (rule != null) {
                named.add(new RuleReference(rule, "route " + route));
            }
        });
        filters.rules().forEach(rule -> named.add(new RuleReference(rule, "filter " + FILTER)));
        return named;
    }

    private static void add(String place, List<FilterDefinition> definitions, List<RuleReference> named) {
        for (FilterDefinition definition : definitions) {
            String rule = rule(definition.getName(), definition.getArgs());
            // An expression is evaluated when the route is built.
            if (rule != null && !rule.startsWith("#{")) {
                named.add(new RuleReference(rule, place));
            }
        }
    }

    private static @Nullable String rule(@Nullable String filter, Map<String, String> args) {
        if (!FILTER.equals(filter)) {
            return args.get(SluiceRateLimiter.RULE);
        }
        String rule = args.get("rule");
        return rule == null ? args.get(FIRST_ARGUMENT) : rule;
    }
}
