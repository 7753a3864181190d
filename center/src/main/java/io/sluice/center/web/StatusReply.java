package io.sluice.center.web;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state of the center.
 *
 * @param leader whether this center completes releases; otherwise another center on the same database may do so
 * @param problems the problems, as sentences; empty if there are none
 */
public record StatusReply(
        long version,
        String digest,
        int liveNodes,
        boolean leader,
        @Nullable Redis redis,
        Adjusted adjustments,
        List<String> problems) {

    /**
     * The Redis of the nodes.
     *
     * @param version the released version in Redis; 0 if unknown
     * @param drift hashes of the mirror that something else wrote to; nodes do not obey them
     */
    public record Redis(long version, List<String> drift) {}

    /**
     * The overrides and switches that apply.
     *
     * @param applied the number of live nodes that have this revision
     * @param nodes the number of live nodes that take released rules
     */
    public record Adjusted(long revision, int overrides, int switches, int applied, int nodes) {}
}
