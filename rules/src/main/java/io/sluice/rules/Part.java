package io.sluice.rules;

import io.sluice.core.Limit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One of several requests that are decided together. Immutable.
 *
 * @param request what rules match and count by
 * @param permits to be charged; 0 only looks whether one permit would pass. What is above {@link Limit#MAX_PERMITS} no limit holds
 * @param named rules that apply because whoever asks found them, beside those that match the attributes
 */
public record Part(Attributes request, long permits, List<Named> named) {

    public Part {
        named = List.copyOf(named);
        if (permits < 0) {
            throw new IllegalArgumentException("permits: " + permits + " (expected: 0 or more)");
        }
    }

    /**
     * A rule that applies.
     *
     * @param rule one with limits, or one that denies
     * @param numbers instead of those of its only limit; null for its own
     */
    public record Named(Rule rule, @Nullable Limit numbers) {}
}
