package io.sluice.center.release;

/**
 * The way of a version to the nodes.
 *
 * @param startedAt milliseconds since the epoch
 * @param endedAt milliseconds since the epoch; 0 while it goes on
 * @param nodes what each node had confirmed at the end, as JSON; empty while it goes on
 */
public record Rollout(long id, long version, RolloutState state, long startedAt, long endedAt, String nodes) {}
