package io.sluice.replay.run;

/**
 * How many requests there were in the second or minute that had most of them. Immutable.
 *
 * @param count 0 if there were none
 * @param atMicros when it began, in microseconds since the epoch
 */
public record Moment(long count, long atMicros) {}
