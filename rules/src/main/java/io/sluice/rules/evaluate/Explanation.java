package io.sluice.rules.evaluate;

import io.sluice.core.limit.Limit;
import io.sluice.rules.model.Level;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What the rules in force would say of a request, and how every limit stands. Immutable.
 *
 * @param ruling what a check would be told
 * @param limits every limit of every matching rule in report order, shadow and candidate limits too; also where a rule denies or
 *     exempts the request and none of them is asked
 */
public record Explanation(Ruling ruling, List<Standing> limits) {

    public Explanation {
        limits = List.copyOf(limits);
    }

    /**
     * How one limit stands.
     *
     * @param id as reports call it
     * @param limit with the numbers in force for this request
     * @param by the attributes that tell callers apart
     * @param key whose count, for the eyes of people: most of each value is hidden
     * @param used permits that are not left
     * @param retryAfter zero if it would allow; empty if waiting will not help
     * @param resetAfter until it is as if unused; empty if that will not come by waiting
     * @param shadow whether it only says what it would do
     * @param overridden whether the numbers are those of an override
     */
    public record Standing(
            String rule,
            String id,
            Level level,
            Limit limit,
            List<String> by,
            String key,
            long used,
            long remaining,
            Optional<Duration> retryAfter,
            Optional<Duration> resetAfter,
            boolean wouldAllow,
            boolean shadow,
            boolean overridden) {

        public Standing {
            by = List.copyOf(by);
        }
    }
}
