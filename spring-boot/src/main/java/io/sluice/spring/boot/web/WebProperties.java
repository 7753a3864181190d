package io.sluice.spring.boot.web;

import io.sluice.rules.pattern.PathPattern;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The settings for limiting requests to this application.
 *
 * @param enabled Whether the rules in force apply to every request.
 * @param order Order of the filter. By default it runs right after Spring Security, so that callers are authenticated.
 * @param earlyOrder Order of the filter for rules that act before callers are authenticated. By default -110, right before Spring
 *     Security.
 * @param exclude Patterns of paths that are not limited, such as /static/**. By default the paths of the actuator; with an empty list, the
 *     actuator is also limited.
 * @param headers Whether responses to allowed requests carry RateLimit headers. Responses to refused requests always do.
 * @param mostWaiting Maximum number of servlet requests that wait for their time slot at the same time, each on its own thread. Further
 *     requests are answered with 503.
 * @param claims Claims of verified tokens that identify the caller.
 */
@ConfigurationProperties("sluice.web")
public record WebProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("-90") int order,
        @Nullable Integer earlyOrder,
        @Nullable List<String> exclude,
        @DefaultValue("true") boolean headers,
        @DefaultValue("100") int mostWaiting,
        @DefaultValue Claims claims) {

    /** The default order: right after Spring Security, whose filters have the order -100 in both stacks. */
    public static final int DEFAULT_ORDER = -90;

    /** The default order before authentication: right before Spring Security, but after the filters that let forms choose the method. */
    private static final int DEFAULT_EARLY_ORDER = -110;

    public WebProperties {
        if (earlyOrder != null && earlyOrder >= order) {
            throw new IllegalArgumentException("sluice.web.early-order: " + earlyOrder
                    + " (expected: less than sluice.web.order, which is " + order + ")");
        }
        if (mostWaiting < 0) {
            throw new IllegalArgumentException(
                    "sluice.web.most-waiting: " + mostWaiting + " (expected: 0 or more requests)");
        }
        exclude = exclude == null ? null : List.copyOf(exclude);
    }

    /**
     * The claims for the attributes of a caller.
     *
     * @param user Claim for the attribute user. Default: the name of the principal.
     * @param tenant Claim for the attribute tenant.
     * @param plan Claim for the attribute plan.
     * @param app Claim for the attribute app.
     */
    public record Claims(
            @Nullable String user,
            @Nullable String tenant,
            @Nullable String plan,
            @Nullable String app) {

        /** Returns the configured claims by attribute. */
        public Map<String, String> byAttribute() {
            Map<String, String> named = new HashMap<>();
            put("user", user, named);
            put("tenant", tenant, named);
            put("plan", plan, named);
            put("app", app, named);
            return named;
        }

        private static void put(String attribute, @Nullable String claim, Map<String, String> named) {
            if (claim != null && !claim.isEmpty()) {
                named.put(attribute, claim);
            }
        }
    }

    /** Returns the order of the filter for rules that act before callers are authenticated; always before the other filter. */
    public int orderBeforeSecurity() {
        return earlyOrder != null ? earlyOrder : Math.min(DEFAULT_EARLY_ORDER, Math.max(order, -Integer.MAX_VALUE) - 1);
    }

    /** Returns the patterns of {@link #exclude}, or these if it is not set. */
    List<PathPattern> excluded(List<String> otherwise) {
        return (exclude == null ? otherwise : exclude)
                .stream().map(WebProperties::pattern).toList();
    }

    private static PathPattern pattern(String text) {
        try {
            return PathPattern.of(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("sluice.web.exclude: " + e.getMessage(), e);
        }
    }
}
