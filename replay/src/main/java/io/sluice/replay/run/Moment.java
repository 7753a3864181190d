package io.sluice.replay.run;

/**
 * The number of requests in the busiest second or minute. Immutable.
 *
 * @param count the number of requests; 0 if there were none
 * @param atMicros the start of the second or minute, in microseconds since the epoch
 */
public record Moment(long count, long atMicros) {}
