package io.sluice.center.web;

import io.sluice.center.change.Changes;
import io.sluice.center.command.Actor;
import io.sluice.center.command.Command;
import io.sluice.center.release.PublicationState;
import io.sluice.center.release.Reconciler;
import io.sluice.center.web.reply.CommandReply;
import io.sluice.center.web.reply.StatusReply;
import io.sluice.rules.adjust.Adjustments;
import io.sluice.rules.snapshot.RuleSet;
import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The state of the center itself. */
@RestController
final class StatusRoutes {

    private static final int MOST_IN_LIST = 200;

    private final CenterParts center;

    StatusRoutes(CenterParts center) {
        this.center = center;
    }

    /** Needs no token and tells nothing else. */
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
    StatusReply repair(@RequestAttribute(AccessFilter.ACTOR) Actor actor, HttpServletRequest request) {
        String reason = Changes.reason(RequestBody.string(RequestBody.object(request, Set.of("reason")), "reason", ""));
        center.reconciler().repairMirror();
        center.database().write(client -> center.log().add(client, actor, new Command.RepairMirror(reason)));
        return status();
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
