package io.sluice.center.erase;

import io.sluice.center.fleet.LiveNodes;
import io.sluice.center.fleet.NodeState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * An erasure in the API. It does not reveal the subject.
 *
 * @param subjectHash the keyed hash of the subject; the same for all erasures of one subject
 * @param state {@code pending}, {@code done} or {@code expired}
 * @param removed the number of items of each kind that the center itself removed
 * @param left the data that the center could not remove, with advice for the user
 */
public record ErasureReply(
        long id,
        String attribute,
        String subjectHash,
        String state,
        String reason,
        String actor,
        Instant at,
        @Nullable Instant endedAt,
        Map<String, Long> removed,
        List<String> left,
        List<ErasureNodeReply> nodes) {

    /**
     * The part of a node in an erasure.
     *
     * @param state the progress of the node: "answered", "asked", "not_reached" or "cannot_be_asked"
     * @param removed the number of items of each kind that the node removed
     * @param left the data that the node could not remove
     * @param problem the reason for a missing answer
     */
    public record ErasureNodeReply(
            String id,
            String name,
            String state,
            @Nullable Instant answeredAt,
            Map<String, Long> removed,
            List<String> left,
            @Nullable String problem) {

        static ErasureNodeReply answered(String id, String name, ErasureTable.Answer answer) {
            return new ErasureNodeReply(
                    id,
                    name,
                    "answered",
                    Instant.ofEpochMilli(answer.at()),
                    new TreeMap<>(answer.result().removed()),
                    answer.result().left(),
                    null);
        }

        static ErasureNodeReply without(String id, String name, String state, String problem) {
            return new ErasureNodeReply(id, name, state, null, Map.of(), List.of(), problem);
        }
    }

    static ErasureReply of(Erasure erasure, Map<String, ErasureTable.Answer> answers, LiveNodes fleet) {
        Map<String, Removal.AskedNode> known = new LinkedHashMap<>();
        erasure.removal().asked().forEach(node -> known.put(node.id(), node));
        answers.keySet().forEach(id -> known.putIfAbsent(id, new Removal.AskedNode(id, name(id, fleet), true)));
        List<ErasureNodeReply> nodes = new ArrayList<>();
        known.values().forEach(node -> nodes.add(node(erasure, node, answers.get(node.id()), fleet.find(node.id()))));
        return new ErasureReply(
                erasure.id(),
                erasure.attribute(),
                erasure.subject(),
                erasure.state().word(),
                erasure.reason(),
                erasure.actor(),
                Instant.ofEpochMilli(erasure.at()),
                erasure.endedAt() == 0 ? null : Instant.ofEpochMilli(erasure.endedAt()),
                new TreeMap<>(erasure.removal().removed()),
                erasure.removal().leftNow(),
                nodes);
    }

    private static String name(String id, LiveNodes fleet) {
        return fleet.find(id).map(node -> node.report().identity().name()).orElse(id);
    }

    private static ErasureNodeReply node(
            Erasure erasure, Removal.AskedNode node, ErasureTable.@Nullable Answer answer, Optional<NodeState> now) {
        if (answer != null) {
            return ErasureNodeReply.answered(node.id(), node.name(), answer);
        }
        boolean isLive = now.map(NodeState::live).orElse(false);
        if (!node.http()) {
            return ErasureNodeReply.without(
                    node.id(),
                    node.name(),
                    "cannot_be_asked",
                    "reports through Redis, where a subject is never written (start the node with --center)");
        }
        if (isLive && erasure.isPending()) {
            return ErasureNodeReply.without(node.id(), node.name(), "asked", "it has not answered yet");
        }
        return ErasureNodeReply.without(
                node.id(),
                node.name(),
                "not_reached",
                now.map(seen -> "last seen " + Instant.ofEpochMilli(seen.seenMillis()))
                        .orElse("not seen for more than an hour"));
    }
}
