package io.sluice.center.web;

import io.sluice.center.release.ReleaseCommand;
import io.sluice.center.audit.AuditReport;
import io.sluice.center.change.Changes;
import io.sluice.center.command.Actor;
import io.sluice.center.refusal.RefusedException;
import io.sluice.center.fleet.NodeState;
import io.sluice.center.http.CurrentAccess;
import io.sluice.center.http.RequestBody;
import io.sluice.center.release.PublicationState;
import io.sluice.center.release.Reconciler;
import io.sluice.center.web.reply.AuditReply;
import io.sluice.center.web.reply.CommandReply;
import io.sluice.center.web.reply.StatusReply;
import io.sluice.rules.adjust.Adjustments;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.runtime.witness.LogKey;
import io.sluice.runtime.witness.WitnessReport;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The API of the state of the center. */
@RestController
final class StatusRoutes {

    private static final int MOST_IN_LIST = 200;

    private final CenterParts center;

    StatusRoutes(CenterParts center) {
        this.center = center;
    }

    /** Returns only whether the center is up. Needs no token. */
    @GetMapping("/health")
    ResponseEntity<Map<String, String>> health() {
        boolean up = center.reconciler().databaseProblem().isEmpty();
        return ResponseEntity.status(up ? 200 : 503).body(Map.of("status", up ? "up" : "down"));
    }

    @GetMapping("/api/status")
    StatusReply status() {
        Reconciler reconciler = center.reconciler();
        RuleSet latest = reconciler.latest();
        Adjustments adjustments = reconciler.rules().adjustments();
        List<String> problems = new ArrayList<>();
        reconciler.databaseProblem().ifPresent(why -> problems.add("the database is unavailable: " + why));
        reconciler.redisProblem().ifPresent(why -> problems.add("Redis is unavailable: " + why));
        reconciler.publication().flatMap(PublicationState::problem).ifPresent(problems::add);
        problems.addAll(reconciler.problems());
        center.audit().problem().ifPresent(problems::add);
        problems.addAll(center.checkpoints().problems());
        problems.addAll(center.sinks().problems());
        problems.addAll(center.erasures().problems());
        center.retention().problem().ifPresent(problems::add);
        problems.addAll(center.traffic().problems());
        problems.addAll(center.alerts().problems());
        if (reconciler.databaseProblem().isEmpty()) {
            center.releases()
                    .emergencies()
                    .waiting()
                    .forEach(each -> problems.add("emergency " + each.id() + " by " + each.actor()
                            + " waits for review until " + Instant.ofEpochMilli(each.endsAt())));
        }
        return new StatusReply(
                latest.version(),
                latest.digest(),
                center.nodes().live().size(),
                reconciler.leads(),
                reconciler
                        .publication()
                        .map(redis -> new StatusReply.Redis(redis.version(), redis.drift()))
                        .orElse(null),
                new StatusReply.Adjusted(
                        adjustments.revision(),
                        adjustments.overrides().size(),
                        adjustments.switches().size(),
                        center.appliedBy(adjustments.revision()),
                        center.followers()),
                problems);
    }

    /** Writes the mirror in Redis again. */
    @PostMapping("/api/mirror/repair")
    StatusReply repair(@RequestAttribute(CurrentAccess.ACTOR) Actor actor, HttpServletRequest request) {
        String reason = Changes.reason(RequestBody.string(RequestBody.object(request, Set.of("reason")), "reason", ""));
        long unused =
                center.database().write(client -> center.log().add(client, actor, new ReleaseCommand.RepairMirror(reason)));
        center.reconciler().repairMirror();
        return status();
    }

    /** Checks the whole log. A key from the log itself proves nothing, so only the caller can name the key to trust. */
    @PostMapping("/api/audit/verify")
    AuditReply verify(HttpServletRequest request) {
        String key = RequestBody.string(RequestBody.object(request, Set.of("key")), "key", "");
        Optional<LogKey> trusted = trusted(key);
        List<NodeState> live = center.nodes().live();
        Map<String, WitnessReport> all = witnesses(live);
        Map<String, WitnessReport> known = witnesses(
                live.stream().filter(node -> node.way() == NodeState.Way.HTTP).toList());
        // Any client that can write to Redis can report there, so such a report can contradict the log but not
        // confirm it.
        AuditReport report = center.audit().verify(trusted, all);
        boolean isSecondNeeded = known.size() < all.size() && report.witness().good();
        return AuditReply.of(isSecondNeeded ? center.audit().verify(trusted, known) : report);
    }

    private static Map<String, WitnessReport> witnesses(List<NodeState> nodes) {
        Map<String, WitnessReport> witnesses = new LinkedHashMap<>();
        nodes.forEach(node -> node.report()
                .answers()
                .witness()
                .ifPresent(report -> witnesses.put("node " + node.report().node(), report)));
        return witnesses;
    }

    private static Optional<LogKey> trusted(String key) {
        try {
            return key.isEmpty() ? Optional.empty() : Optional.of(new LogKey(key));
        } catch (IllegalArgumentException e) {
            throw RefusedException.invalid(String.valueOf(e.getMessage()));
        }
    }

    @GetMapping("/api/commands")
    List<CommandReply> commands(
            @RequestParam(name = "below", defaultValue = "" + Long.MAX_VALUE) long below,
            @RequestParam(name = "limit", defaultValue = "50") int limit) {
        int most = Math.max(1, Math.min(limit, MOST_IN_LIST));
        return center.database().read(client -> center.log().newest(client, below, most)).stream()
                .map(CommandReply::of)
                .toList();
    }
}
