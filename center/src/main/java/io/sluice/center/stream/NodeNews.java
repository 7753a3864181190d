package io.sluice.center.stream;

import io.sluice.center.access.Right;
import io.sluice.center.fleet.LiveNodes;
import io.sluice.center.fleet.NodeState;
import io.sluice.rules.json.JsonLine;
import io.sluice.runtime.fleet.NodeReport;
import java.util.HashMap;
import java.util.Map;

/** Publishes an event if a node appears, falls silent, returns, restarts, or decides in another way. Used by one thread. */
final class NodeNews {

    private final Stream stream;
    private final LiveNodes nodes;
    private Map<String, Seen> last = Map.of();

    /** The properties of a node whose changes are published. */
    private record Seen(
            boolean live,
            NodeReport.Mode mode,
            NodeReport.Breaker breaker,
            long version,
            String program,
            long startedMillis) {

        static Seen of(NodeState node) {
            NodeReport report = node.report();
            return new Seen(
                    node.live(),
                    report.health().mode(),
                    report.health().breaker(),
                    report.rules().version(),
                    report.identity().program(),
                    report.identity().startedMillis());
        }
    }

    NodeNews(Stream stream, LiveNodes nodes) {
        this.stream = stream;
        this.nodes = nodes;
    }

    /** Publishes the changes since the last call. Called about once a second. */
    void turn() {
        Map<String, Seen> now = new HashMap<>();
        for (NodeState node : nodes.all()) {
            String id = node.report().node();
            Seen seen = Seen.of(node);
            now.put(id, seen);
            Seen known = last.get(id);
            if (!seen.equals(known)) {
                tell(node, known == null ? "appeared" : change(known, seen));
            }
        }
        last = now;
    }

    private static String change(Seen before, Seen now) {
        if (before.live != now.live) {
            return now.live ? "back" : "silent";
        }
        return before.startedMillis == now.startedMillis ? "changed" : "restarted";
    }

    private void tell(NodeState node, String change) {
        NodeReport report = node.report();
        String json = new JsonLine()
                .begin()
                .field("change", change)
                .field("node", report.node())
                .field("name", report.identity().name())
                .field("kind", report.identity().kind().word())
                .field("live", node.live())
                .field("mode", report.health().mode().word())
                .field("breaker", report.health().breaker().word())
                .field("version", report.rules().version())
                .field("program", report.identity().program())
                .end()
                .toString();
        stream.publish(StreamTopic.NODES.word(), json, access -> access.mayEverywhere(Right.SEE_FLEET));
    }
}
