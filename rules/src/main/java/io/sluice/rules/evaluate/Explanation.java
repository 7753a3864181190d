package io.sluice.rules.evaluate;

import io.sluice.core.limit.Limit;
import io.sluice.rules.model.Level;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The decision that the rules in force would make on a request, and the state of every limit. Immutable.
 *
 * @param ruling the ruling that a check would return
 * @param limits every limit of every matching rule in report order, including shadow and candidate limits; they are listed even if a rule
 *     denies or exempts the request and no limit would be asked
 */
public record Explanation(Ruling ruling, List<Standing> limits) {

    public Explanation {
        limits = List.copyOf(limits);
    }

    /**
     * The state of one limit.
     *
     * @param id the limit's name in reports
     * @param limit the limit with the numbers in force for this request
     * @param by the attributes that distinguish callers
     * @param key the key of the count for people, with mostly masked values
     * @param hash the 43 characters under which the caller is counted, for limits with {@code privacy: hash}; empty for other limits. They
     *     name the caller to people who may not know its identity
     * @param used the used permits
     * @param retryAfter the time until a retry may pass; zero if the limit would allow the request, empty if waiting will not help
     * @param resetAfter the time until the limit is as if unused; empty if waiting does not achieve this
     * @param shadow whether the limit only reports refusals that it would make
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
