package io.sluice.center.web;

import io.sluice.center.change.Changes;
import io.sluice.center.command.Actor;
import io.sluice.center.command.CommandLog;
import io.sluice.center.database.Database;
import io.sluice.center.fleet.LiveNodes;
import io.sluice.center.http.CurrentAccess;
import io.sluice.center.http.RequestBody;
import io.sluice.center.release.PublicationState;
import io.sluice.center.release.Reconciler;
import io.sluice.center.release.ReleaseCommand;
import io.sluice.center.release.Releases;
import io.sluice.rules.adjust.Adjustments;
import io.sluice.rules.snapshot.RuleSet;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RestController;

/** The API of the state of the center. */
@RestController
public final class StatusRoutes {

    private final Database database;
    private final CommandLog log;
    private final Releases releases;
    private final Reconciler reconciler;
    private final LiveNodes nodes;
    private final StatusProblems parts;

    StatusRoutes(
            Database database,
            CommandLog log,
            Releases releases,
            Reconciler reconciler,
            LiveNodes nodes,
            StatusProblems parts) {
        this.database = database;
        this.log = log;
        this.releases = releases;
        this.reconciler = reconciler;
        this.nodes = nodes;
        this.parts = parts;
    }

    /** Returns only whether the center is up. Needs no token. */
    @GetMapping("/health")
    ResponseEntity<Map<String, String>> health() {
        boolean up = reconciler.databaseProblem().isEmpty();
        return ResponseEntity.status(up ? 200 : 503).body(Map.of("status", up ? "up" : "down"));
    }

    @GetMapping("/api/status")
    StatusReply status() {
        RuleSet latest = reconciler.latest();
        Adjustments adjustments = reconciler.rules().adjustments();
        List<String> problems = new ArrayList<>();
        reconciler.databaseProblem().ifPresent(why -> problems.add("the database is unavailable: " + why));
        reconciler.redisProblem().ifPresent(why -> problems.add("Redis is unavailable: " + why));
        reconciler.publication().flatMap(PublicationState::problem).ifPresent(problems::add);
        problems.addAll(reconciler.problems());
        problems.addAll(parts.now());
        if (reconciler.databaseProblem().isEmpty()) {
            releases.emergencies()
                    .waiting()
                    .forEach(each -> problems.add("emergency " + each.id() + " by " + each.actor()
                            + " waits for review until " + Instant.ofEpochMilli(each.endsAt())));
        }
        return new StatusReply(
                latest.version(),
                latest.digest(),
                nodes.live().size(),
                reconciler.leads(),
                reconciler
                        .publication()
                        .map(redis -> new StatusReply.Redis(redis.version(), redis.drift()))
                        .orElse(null),
                new StatusReply.Adjusted(
                        adjustments.revision(),
                        adjustments.overrides().size(),
                        adjustments.switches().size(),
                        nodes.appliedBy(adjustments.revision()),
                        nodes.followers().size()),
                problems);
    }

    /** Writes the mirror in Redis again. */
    @PostMapping("/api/mirror/repair")
    StatusReply repair(@RequestAttribute(CurrentAccess.ACTOR) Actor actor, HttpServletRequest request) {
        String reason = Changes.reason(RequestBody.string(RequestBody.object(request, Set.of("reason")), "reason", ""));
        long unused = database.write(client -> log.add(client, actor, new ReleaseCommand.RepairMirror(reason)));
        reconciler.repairMirror();
        return status();
    }
}
