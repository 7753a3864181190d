package io.sluice.replay.advice;

/**
 * A caller and the smallest number that refuses none of its requests. Immutable.
 *
 * @param caller the masked name of the caller
 */
public record CallerNeed(String caller, long need) {

    /** Returns {@code 203.0.113.* (26)}. */
    @Override
    public String toString() {
        return caller + " (" + need + ")";
    }
}
