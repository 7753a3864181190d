package io.sluice.rules.model;

import io.sluice.core.limit.Limit;
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
 * @param until when the override expires; from this moment on it no longer applies
 */
public record LimitOverride(Map<String, Condition> when, int limit, Limit numbers, Optional<Instant> until) {

    public LimitOverride {
        when = Map.copyOf(when);
        if (when.isEmpty()) {
            throw new IllegalArgumentException("when: empty (expected: at least one condition)");
        }
    }
}
