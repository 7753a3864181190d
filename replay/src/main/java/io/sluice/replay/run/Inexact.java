package io.sluice.replay.run;

/**
 * The decisions of a rule on counts that several callers shared, because there were more callers than counts. Immutable.
 *
 * @param from the line of the first such decision, as {@code FILE:LINE}
 */
public record Inexact(String from, long decisions) {}
