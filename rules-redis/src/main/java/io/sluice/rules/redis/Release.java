package io.sluice.rules.redis;

import java.util.Optional;

/**
 * A rule set that was released to nodes.
 *
 * @param version the version of the set
 * @param digest the digest of its rules, see {@link io.sluice.rules.snapshot.RuleSet#digest}
 * @param sharePercent the percentage of nodes that have it, 1 to 100. A version that callers try is on every node
 * @param trouble what failed after the release took effect: the mirror is incomplete, or nodes were not notified and will find it
 *     by polling
 */
public record Release(long version, String digest, int sharePercent, Optional<String> trouble) {}
