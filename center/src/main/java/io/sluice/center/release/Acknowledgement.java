package io.sluice.center.release;

import io.sluice.center.fleet.NodeState;
import io.sluice.rules.snapshot.CallerSplit;
import io.sluice.rules.snapshot.NodeShare;
import io.sluice.rules.snapshot.TrialScope;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The acknowledgement of a version by a node.
 *
 * @param version the version that the node runs
 * @param at the time since when the node runs it, in milliseconds since the epoch; 0 if unknown
 * @param errors the reasons why the node refused the version
 */
public record Acknowledgement(
        String node, String name, State state, long version, String digest, long at, List<String> errors) {

    private static final JsonMapper JSON = JsonMapper.shared();

    public Acknowledgement {
        errors = List.copyOf(errors);
    }

    /** The state of the version on the node. */
    public enum State {
        APPLIED("applied"),
        WAITING("waiting"),
        REFUSED("refused");

        private final String word;

        State(String word) {
            this.word = word;
        }

        /** Returns the name in the API. */
        public String word() {
            return word;
        }
    }

    /** Returns the acknowledgements of nodes for a version. */
    public static List<Acknowledgement> of(List<NodeState> nodes, long version, String digest) {
        return nodes.stream().map(node -> of(node, version, digest)).toList();
    }

    /** Returns the acknowledgements of nodes for a version that some callers try. */
    private static List<Acknowledgement> ofTrial(
            List<NodeState> nodes, long version, String digest, CallerSplit split) {
        return nodes.stream()
                .map(node -> of(node, version, digest, node.tries(version, digest, split)))
                .toList();
    }

    private static Acknowledgement of(NodeState node, long version, String digest) {
        return of(node, version, digest, node.runs(version, digest));
    }

    private static Acknowledgement of(NodeState node, long version, String digest, boolean applied) {
        var report = node.report();
        boolean refused = report.rules()
                .refused()
                .filter(refusal ->
                        refusal.version() == version || refusal.digest().equals(digest))
                .isPresent();
        return new Acknowledgement(
                report.node(),
                report.identity().name(),
                applied ? State.APPLIED : refused ? State.REFUSED : State.WAITING,
                report.rules().version(),
                report.rules().digest(),
                report.rules().appliedMillis(),
                applied || !refused
                        ? List.of()
                        : report.rules().refused().orElseThrow().errors());
    }

    /** Returns the acknowledgements of the nodes in a running rollout. Nodes that do not take part are left out. */
    public static List<Acknowledgement> of(List<NodeState> nodes, Rollout rollout, String digest) {
        TrialScope scope = rollout.scope().orElse(null);
        if (scope instanceof TrialScope.Callers callers) {
            return ofTrial(nodes, rollout.version(), digest, callers.split());
        }
        return of(
                scope instanceof TrialScope.Nodes share
                        ? nodes.stream()
                                .filter(node -> new NodeShare(node.report().node()).isWithin(share.percent()))
                                .toList()
                        : nodes,
                rollout.version(),
                digest);
    }

    static String json(List<Acknowledgement> list) {
        return JSON.writeValueAsString(list);
    }

    /** Reads the acknowledgements that were stored with a rollout. */
    public static List<Acknowledgement> parse(String json) {
        List<Acknowledgement> list = new ArrayList<>();
        for (JsonNode item : JSON.readTree(json.isEmpty() ? "[]" : json)) {
            list.add(JSON.treeToValue(item, Acknowledgement.class));
        }
        return list;
    }
}
