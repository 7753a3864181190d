package io.sluice.rules.snapshot;

import org.jspecify.annotations.Nullable;

/**
 * A version that some callers try.
 *
 * @param rules the version on trial
 * @param split the split that selects these callers
 */
public record CallerTrial(RuleSet rules, CallerSplit split) {

    /**
     * Returns the place of a caller.
     *
     * @param value the caller's value of the attribute that the trial splits by; null if the request does not have it. Such a request
     *     gets the version in force. It has no place, because it could never be on trial, so it must not be compared
     */
    public @Nullable CallerPlace place(@Nullable String value) {
        return value == null ? null : split.place(value, rules.version());
    }
}
