package io.sluice.center.govern.reply;

import io.sluice.center.http.ReplyTime;
import io.sluice.center.release.Acknowledgement;
import io.sluice.center.release.Rollout;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A rollout.
 *
 * @param version the version; 0 while it is only scheduled
 * @param change the change that it releases
 * @param at the time of a scheduled release
 * @param trial the trial with its last verdict
 * @param problem the reason why a scheduled release was refused
 * @param successor the rollout that ended the trial by releasing the rules before it again
 * @param nodes the answers of the live nodes; after the end, the answers from that time
 */
public record RolloutReply(
        long id,
        long version,
        String digest,
        String state,
        Instant startedAt,
        @Nullable Instant endedAt,
        @Nullable Long change,
        @Nullable Instant at,
        @Nullable TrialReply trial,
        @Nullable String problem,
        @Nullable Long successor,
        long applied,
        long waiting,
        long refused,
        List<NodeAnswer> nodes) {

    /**
     * The answer of a node.
     *
     * @param version the version that it runs
     * @param errors the reasons why it refused this version
     */
    public record NodeAnswer(
            String id,
            String name,
            String state,
            long version,
            String digest,
            @Nullable Instant since,
            List<String> errors) {

        static NodeAnswer of(Acknowledgement acknowledgement) {
            return new NodeAnswer(
                    acknowledgement.node(),
                    acknowledgement.name(),
                    acknowledgement.state().word(),
                    acknowledgement.version(),
                    acknowledgement.digest(),
                    ReplyTime.of(acknowledgement.at()),
                    acknowledgement.errors());
        }
    }

    public static RolloutReply of(
            Rollout rollout, String digest, List<Acknowledgement> nodes, @Nullable Instant settlesAt) {
        return new RolloutReply(
                rollout.id(),
                rollout.version(),
                digest,
                rollout.state().word(),
                Instant.ofEpochMilli(rollout.startedAt()),
                ReplyTime.of(rollout.endedAt()),
                VersionReply.orNull(rollout.order().change()),
                ReplyTime.of(rollout.order().firesAt()),
                TrialReply.of(rollout, settlesAt),
                rollout.progress().problem().isEmpty()
                        ? null
                        : rollout.progress().problem(),
                VersionReply.orNull(rollout.progress().successor()),
                count(nodes, Acknowledgement.State.APPLIED),
                count(nodes, Acknowledgement.State.WAITING),
                count(nodes, Acknowledgement.State.REFUSED),
                nodes.stream().map(NodeAnswer::of).toList());
    }

    /** Returns the same rollout for a caller who must not learn about nodes, or about rules that nodes name. */
    public RolloutReply withoutNodes() {
        return new RolloutReply(
                id,
                version,
                digest,
                state,
                startedAt,
                endedAt,
                change,
                at,
                trial == null ? null : trial.withoutNodes(),
                problem,
                successor,
                applied,
                waiting,
                refused,
                List.of());
    }

    private static long count(List<Acknowledgement> nodes, Acknowledgement.State state) {
        return nodes.stream().filter(node -> node.state() == state).count();
    }
}
