package io.sluice.center.web.reply;

import io.sluice.center.release.Acknowledgement;
import io.sluice.center.release.Rollout;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A rollout.
 *
 * @param version 0 while it is only scheduled
 * @param change the change that it releases
 * @param at when a schedule fires
 * @param trial who tries the version, and the last verdict
 * @param problem why a schedule was refused when its time came
 * @param successor the rollout that ended the trial by releasing the rules before it again
 * @param nodes what each live node says; after the end, what each said then
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
     * What a node says.
     *
     * @param version the version that it runs
     * @param errors why it refused this one
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
                    instant(acknowledgement.at()),
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
                instant(rollout.endedAt()),
                VersionReply.orNull(rollout.order().change()),
                instant(rollout.order().firesAt()),
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

    /** Returns the same rollout for somebody who must not learn about nodes, nor about rules that nodes name. */
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

    static @Nullable Instant instant(long millis) {
        return millis == 0 ? null : Instant.ofEpochMilli(millis);
    }

    private static long count(List<Acknowledgement> nodes, Acknowledgement.State state) {
        return nodes.stream().filter(node -> node.state() == state).count();
    }
}
