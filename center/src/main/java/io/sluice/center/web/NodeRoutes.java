package io.sluice.center.web;

import io.sluice.center.refusal.RefusedException;
import io.sluice.center.fleet.FleetRules;
import io.sluice.center.fleet.NodeState;
import io.sluice.center.http.RequestBody;
import io.sluice.center.web.reply.NodeReply;
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
final class NodeRoutes {

    private final CenterParts center;

    NodeRoutes(CenterParts center) {
        this.center = center;
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
        center.nodes().report(report, NodeState.Way.HTTP);
        center.erasures().answered(id, report.answers().erased());
        Fleet fleet = center.reconciler()
                .fleet()
                .with(center.checkpoints().offer(report), center.erasures().orders(id));
        return center.traffic().heard(report, fleet).toJson();
    }

    /** Takes recorded requests that the center requested. They are kept until they have been replayed. */
    @PostMapping(path = "/api/nodes/{id}/excerpts/{question}", produces = MediaType.APPLICATION_JSON_VALUE)
    String excerpt(
            @PathVariable("id") String id, @PathVariable("question") String question, HttpServletRequest request) {
        boolean isTaken = question.matches("[0-9]{1,18}")
                && center.traffic().excerpts().answered(id, Long.parseLong(question), RequestBody.bytes(request));
        if (!isTaken) {
            throw RefusedException.missing(
                    "question: unknown or over, or the excerpt is too long (expected: an answer to an open question)");
        }
        return "{}";
    }

    @GetMapping("/api/nodes")
    List<NodeReply> list() {
        FleetRules rules = center.reconciler().rules();
        return center.nodes().all().stream()
                .map(node -> NodeReply.of(node, rules.rules(node.report().node()), center.checkpoints()::agrees))
                .toList();
    }

    @GetMapping("/api/nodes/{id}")
    NodeReply find(@PathVariable("id") String id) {
        FleetRules rules = center.reconciler().rules();
        return center.nodes()
                .find(id)
                .map(node -> NodeReply.of(node, rules.rules(id), center.checkpoints()::agrees))
                .orElseThrow(() -> RefusedException.missing("node " + id + ": unknown"));
    }
}
