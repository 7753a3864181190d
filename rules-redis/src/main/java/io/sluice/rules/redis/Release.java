package io.sluice.rules.redis;

import java.util.Optional;

/**
 * A set that nodes take from now on.
 *
 * @param version its number
 * @param digest of its rules, see {@link io.sluice.rules.snapshot.RuleSet#digest}
 * @param sharePercent of the nodes that take it, 1 to 100
 * @param trouble what went wrong after it was in force: its mirror is not whole, or nodes were not told and find out by themselves
 */
public record Release(long version, String digest, int sharePercent, Optional<String> trouble) {}
