package io.sluice.replay.run;

/**
 * What one limit did. Immutable.
 *
 * @param id its name in reports
 * @param amount its numbers in words
 * @param refused the requests that it had no room for
 * @param wouldRefuse the requests that it had no room for, but let pass because it is in shadow or a candidate
 */
public record LimitResult(String id, String amount, long refused, long wouldRefuse) {}
