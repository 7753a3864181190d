package io.sluice.center.nodes;

import io.sluice.center.checkpoint.Checkpoints;
import io.sluice.center.erase.Erasures;
import io.sluice.center.fleet.FleetRules;
import io.sluice.center.fleet.LiveNodes;
import io.sluice.center.fleet.NodeState;
import io.sluice.center.http.RequestBody;
import io.sluice.center.refusal.RefusedException;
import io.sluice.center.release.Reconciler;
import io.sluice.center.traffic.Traffic;
import io.sluice.runtime.fleet.Fleet;
import io.sluice.runtime.fleet.NodeReport;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** The API of nodes: their reports, and the facts known about them. */
@RestController
public final class NodeRoutes {

    private final LiveNodes nodes;
    private final Erasures erasures;
    private final Reconciler reconciler;
    private final Checkpoints checkpoints;
    private final Traffic traffic;

    NodeRoutes(LiveNodes nodes, Erasures erasures, Reconciler reconciler, Checkpoints checkpoints, Traffic traffic) {
        this.nodes = nodes;
        this.erasures = erasures;
        this.reconciler = reconciler;
        this.checkpoints = checkpoints;
        this.traffic = traffic;
    }

    @PostMapping(path = "/api/nodes/{id}/heartbeat", produces = MediaType.APPLICATION_JSON_VALUE)
    String heartbeat(@PathVariable("id") String id, HttpServletRequest request) {
        NodeReport report;
        try {
            report = NodeReport.parse(RequestBody.text(request));
        } catch (IllegalArgumentException e) {
            throw RefusedException.invalid("report: " + e.getMessage());
        }
        if (!report.node().equals(id)) {
            throw RefusedException.invalid("node: " + report.node() + " (expected: the id in the path)");
        }
        nodes.report(report, NodeState.Way.HTTP);
        erasures.answered(id, report.answers().erased());
        Fleet fleet = reconciler.fleet().with(checkpoints.offer(report), erasures.orders(id));
        return traffic.heard(report, fleet).toJson();
    }

    /** Takes recorded requests that the center requested. They are kept until they have been replayed. */
    @PostMapping(path = "/api/nodes/{id}/excerpts/{question}", produces = MediaType.APPLICATION_JSON_VALUE)
    String excerpt(
            @PathVariable("id") String id, @PathVariable("question") String question, HttpServletRequest request) {
        boolean isTaken = question.matches("[0-9]{1,18}")
                && traffic.excerpts().answered(id, Long.parseLong(question), RequestBody.bytes(request));
        if (!isTaken) {
            throw RefusedException.missing(
                    "question: unknown or over, or the excerpt is too long (expected: an answer to an open question)");
        }
        return "{}";
    }

    @GetMapping("/api/nodes")
    List<NodeReply> list() {
        FleetRules rules = reconciler.rules();
        return nodes.all().stream()
                .map(node -> NodeReply.of(node, rules.rules(node.report().node()), checkpoints::agrees))
                .toList();
    }

    @GetMapping("/api/nodes/{id}")
    NodeReply find(@PathVariable("id") String id) {
        FleetRules rules = reconciler.rules();
        return nodes.find(id)
                .map(node -> NodeReply.of(node, rules.rules(id), checkpoints::agrees))
                .orElseThrow(() -> RefusedException.missing("node " + id + ": unknown"));
    }
}
