package io.sluice.rules.model;

import io.sluice.core.limit.Limit;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * Other numbers for some of the callers of a limit; the count stays the same one. Of the overrides of a limit the first that is
 * for a request and not past its end applies. Immutable.
 *
 * @param when for which requests: all of these, at least one
 * @param limit which of the rule's limits, by its position
 * @param numbers the limit with its numbers replaced: of the same name and shape
 * @param until when it ends: from this moment on it no longer applies
 */
public record LimitOverride(Map<String, Condition> when, int limit, Limit numbers, Optional<Instant> until) {

    public LimitOverride {
        when = Map.copyOf(when);
        if (when.isEmpty()) {
            throw new IllegalArgumentException("when: empty (expected: at least one condition)");
        }
    }
}
