package io.sluice.spring.web;

import io.sluice.rules.pattern.PathPattern;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How requests to this application are limited.
 *
 * @param enabled Whether the rules in force are applied to every request.
 * @param order Where the filter stands; the default is just behind Spring Security, so that callers are known.
 * @param exclude Patterns of paths that are not limited, such as /actuator/**; none by default.
 * @param headers Whether allowed requests are answered with RateLimit headers; refused ones always are.
 * @param mostWaiting How many servlet requests may wait for their time slot at once, each on its thread; more are answered 503.
 * @param claims Which claims of verified tokens say who calls.
 */
@ConfigurationProperties("sluice.web")
public record WebProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("-90") int order,
        @DefaultValue List<String> exclude,
        @DefaultValue("true") boolean headers,
        @DefaultValue("100") int mostWaiting,
        @DefaultValue Claims claims) {

    /** Behind Spring Security, whose filters stand at -100 in both stacks. */
    public static final int DEFAULT_ORDER = -90;

    public WebProperties {
        if (mostWaiting < 0) {
            throw new IllegalArgumentException(
                    "sluice.web.most-waiting: " + mostWaiting + " (expected: 0 or more requests)");
        }
        exclude = List.copyOf(exclude);
    }

    /**
     * The claim of each attribute.
     *
     * @param user Claim that is the user; the name of the principal if none is named.
     * @param tenant Claim that is the tenant.
     * @param plan Claim that is the plan.
     * @param app Claim that is the app.
     */
    public record Claims(
            @Nullable String user,
            @Nullable String tenant,
            @Nullable String plan,
            @Nullable String app) {

        /** By attribute, those that are named. */
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

    /** The patterns of {@link #exclude}. */
    public List<PathPattern> excluded() {
        return exclude.stream().map(WebProperties::pattern).toList();
    }

    private static PathPattern pattern(String text) {
        try {
            return PathPattern.of(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("sluice.web.exclude: " + e.getMessage(), e);
        }
    }
}
