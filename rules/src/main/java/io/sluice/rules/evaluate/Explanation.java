package io.sluice.rules.evaluate;

import io.sluice.core.limit.Limit;
import io.sluice.rules.model.Level;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What the rules in force would decide for a request, and the state of every limit. Immutable.
 *
 * @param ruling the ruling that a check would return
 * @param limits every limit of every matching rule in report order, including shadow and candidate limits; they are listed even
 *     if a rule denies or exempts the request, so that no limit would be asked
 */
public record Explanation(Ruling ruling, List<Standing> limits) {

    public Explanation {
        limits = List.copyOf(limits);
    }

    /**
     * The state of one limit.
     *
     * @param id the limit's name in reports
     * @param limit with the numbers in force for this request
     * @param by the attributes that distinguish callers
     * @param key the key of the count, for people; most of each value is masked
     * @param hash the 43 characters under which the caller is counted, for limits with {@code privacy: hash}; empty for others. It
     *     names the caller to those who do not know them
     * @param used permits that are not left
     * @param retryAfter zero if the limit would allow the request; empty if waiting will not help
     * @param resetAfter time until the limit is as if unused; empty if waiting will not achieve that
     * @param shadow whether the limit only reports what it would do
     * @param overridden whether the numbers come from an override
     */
    public record Standing(
            String rule,
            String id,
            Level level,
            Limit limit,
            List<String> by,
            String key,
            Optional<String> hash,
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
