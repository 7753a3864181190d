package io.sluice.spring.gateway;

import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.limit.TokenBucket;
import io.sluice.core.spi.FailurePolicy;
import io.sluice.rules.model.AbsentPolicy;
import io.sluice.rules.model.Action;
import io.sluice.rules.model.By;
import io.sluice.rules.model.Handling;
import io.sluice.rules.model.Lease;
import io.sluice.rules.model.Mode;
import io.sluice.rules.model.Privacy;
import io.sluice.rules.model.Rule;
import io.sluice.rules.model.RuleDescription;
import io.sluice.rules.model.RuleLimit;
import io.sluice.rules.model.Scope;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.OptionalDouble;
import java.util.UUID;

/**
 * Builds a rule from the numbers that a route gives to Spring Cloud Gateway's limiter. They have the same meaning as for that
 * limiter.
 */
final class RouteRule {

    /** The attribute that holds the key of a {@code KeyResolver}. */
    static final String KEY = "key";

    private static final int LONGEST_NAME = 200;

    private RouteRule() {}

    /**
     * Returns a rule with a token bucket for each key of a route.
     *
     * @param perSecond the refill per second, above 0
     */
    static Rule of(String route, BigDecimal perSecond, long burst, FailurePolicy onFailure) {
        String id = "route-" + name(route);
        // In names from rule documents, digits alone never follow the last dot. So no rule in force shares this count.
        TokenBucket bucket = Limit.named(id + ".0").tokenBucket(rate(perSecond)).withBurst(burst);
        RuleLimit limit =
                new RuleLimit(id + ".0", bucket, List.of(By.attribute(KEY)), AbsentPolicy.SHARE, Privacy.PLAIN);
        Handling handling = new Handling(
                Mode.DISTRIBUTED,
                Lease.DEFAULT,
                onFailure,
                OptionalDouble.empty(),
                Handling.DEFAULT.deadline(),
                OptionalDouble.empty());
        return new Rule(
                id,
                true,
                Action.LIMIT,
                Scope.EVERYTHING,
                false,
                List.of(limit),
                List.of(),
                List.of(),
                handling,
                RuleDescription.NOTHING);
    }

    private static Rate rate(BigDecimal perSecond) {
        BigDecimal exact = perSecond.stripTrailingZeros();
        if (exact.signum() <= 0 || exact.scale() > 6 || exact.precision() - exact.scale() > 10) {
            throw new IllegalArgumentException("replenishRate: " + perSecond
                    + " (expected: above 0, at most 1000000000, with at most six decimal places)");
        }
        int shift = Math.max(0, exact.scale());
        return new Rate(
                exact.movePointRight(shift).longValueExact(),
                Duration.ofSeconds(BigDecimal.TEN.pow(shift).longValueExact()));
    }

    /** Returns a legal name for counts that no two routes share. */
    private static String name(String route) {
        boolean plain = !route.isEmpty()
                && route.length() <= LONGEST_NAME
                && route.chars().allMatch(c -> c < 128 && (Character.isLetterOrDigit(c) || c == '-' || c == '_'));
        return plain ? route : "." + UUID.nameUUIDFromBytes(route.getBytes(StandardCharsets.UTF_8));
    }
}
