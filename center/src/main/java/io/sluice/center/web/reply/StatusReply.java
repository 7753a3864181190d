package io.sluice.center.web.reply;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state of the center.
 *
 * @param leader whether this center completes releases; another one on the same database may do so
 * @param problems sentences; empty if all is well
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
     * @param version the released version that it has; 0 if unknown
     * @param drift hashes of the mirror that something else wrote to; nodes do not obey them
     */
    public record Redis(long version, List<String> drift) {}

    /**
     * Overrides and switches that apply.
     *
     * @param applied how many live nodes have this revision
     * @param nodes how many live nodes take released rules
     */
    public record Adjusted(long revision, int overrides, int switches, int applied, int nodes) {}
}
