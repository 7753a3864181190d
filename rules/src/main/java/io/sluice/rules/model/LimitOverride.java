package io.sluice.rules.model;

import io.sluice.core.limit.Limit;
import io.sluice.rules.cost.Keep;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * Replaces the numbers of a limit for some callers; their count stays the same. If several overrides of a limit match a request,
 * the first that has not expired applies. Immutable.
 *
 * @param when the conditions that a request must all satisfy; at least one
 * @param limit the position of the limit in the rule
 * @param numbers the limit with its numbers replaced, with the same name and shape
 * @param keep the part of the limit that these requests leave for other requests; empty for no part
 * @param until the moment from which the override no longer applies
 */
public record LimitOverride(
        Map<String, Condition> when, int limit, Limit numbers, Optional<Keep> keep, Optional<Instant> until) {

    public LimitOverride {
        when = Map.copyOf(when);
        if (when.isEmpty()) {
            throw new IllegalArgumentException("when: empty (expected: at least one condition)");
        }
        keep.filter(own -> own.permits(numbers) > numbers.capacity()).ifPresent(own -> {
            throw new IllegalArgumentException("keep: " + own + " (expected: at most " + numbers.capacity() + ")");
        });
    }

    /** Creates an override that keeps no permits for other requests. */
    public LimitOverride(Map<String, Condition> when, int limit, Limit numbers, Optional<Instant> until) {
        this(when, limit, numbers, Optional.empty(), until);
    }

    /** Returns whether it only keeps permits for other requests, and leaves the numbers of the limit as they are. */
    public boolean onlyKeeps(RuleLimit of) {
        return keep.isPresent() && numbers.equals(of.limit());
    }
}
