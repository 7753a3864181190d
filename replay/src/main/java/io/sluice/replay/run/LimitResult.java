package io.sluice.replay.run;

/**
 * The refusals of one limit. Immutable.
 *
 * @param id its name in reports
 * @param amount its numbers in words
 * @param refused the number of requests that the limit had no room for
 * @param wouldRefuse the number of requests that the limit had no room for but let pass, because it is in shadow or a candidate
 */
public record LimitResult(String id, String amount, long refused, long wouldRefuse) {}
