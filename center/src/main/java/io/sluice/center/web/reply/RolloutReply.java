package io.sluice.center.web.reply;

import io.sluice.center.release.Acknowledgement;
import io.sluice.center.release.Rollout;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A rollout.
 *
 * @param nodes what each live node says; after the end, what each said then
 */
public record RolloutReply(
        long id,
        long version,
        String digest,
        String state,
        Instant startedAt,
        @Nullable Instant endedAt,
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

    public static RolloutReply of(Rollout rollout, String digest, List<Acknowledgement> nodes) {
        return new RolloutReply(
                rollout.id(),
                rollout.version(),
                digest,
                rollout.state().word(),
                Instant.ofEpochMilli(rollout.startedAt()),
                instant(rollout.endedAt()),
                count(nodes, Acknowledgement.State.APPLIED),
                count(nodes, Acknowledgement.State.WAITING),
                count(nodes, Acknowledgement.State.REFUSED),
                nodes.stream().map(NodeAnswer::of).toList());
    }

    static @Nullable Instant instant(long millis) {
        return millis == 0 ? null : Instant.ofEpochMilli(millis);
    }

    private static long count(List<Acknowledgement> nodes, Acknowledgement.State state) {
        return nodes.stream().filter(node -> node.state() == state).count();
    }
}
