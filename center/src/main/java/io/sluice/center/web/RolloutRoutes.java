package io.sluice.center.web;

import io.sluice.center.change.Changes;
import io.sluice.center.command.Actor;
import io.sluice.center.command.Command;
import io.sluice.center.command.RefusedException;
import io.sluice.center.release.Acknowledgement;
import io.sluice.center.release.Rollout;
import io.sluice.center.release.RolloutState;
import io.sluice.center.release.Trials;
import io.sluice.center.version.Version;
import io.sluice.center.web.reply.RolloutReply;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.JsonNode;

/** Rollouts, and the way back. */
@RestController
final class RolloutRoutes {

    private static final int MOST_IN_LIST = 200;

    private final CenterParts center;
    private final Trials trials;

    RolloutRoutes(CenterParts center) {
        this.center = center;
        this.trials = center.releases().trials();
    }

    @GetMapping("/api/rollouts")
    List<RolloutReply> list(
            @RequestParam(name = "below", defaultValue = "" + Long.MAX_VALUE) long below,
            @RequestParam(name = "limit", defaultValue = "20") int limit) {
        return center.releases().rollouts(below, Math.max(1, Math.min(limit, MOST_IN_LIST))).stream()
                .map(this::reply)
                .toList();
    }

    @GetMapping("/api/rollouts/{id}")
    RolloutReply find(@PathVariable("id") long id) {
        return reply(center.releases()
                .rollout(id)
                .orElseThrow(() -> RefusedException.missing("rollout " + id + ": unknown")));
    }

    @PostMapping("/api/rollback")
    @ResponseStatus(HttpStatus.ACCEPTED)
    RolloutReply rollBack(@RequestAttribute(AccessFilter.ACTOR) Actor actor, HttpServletRequest request) {
        JsonNode body = RequestBody.object(request, Set.of("to", "reason", "expected"));
        long to = RequestBody.number(body, "to", 0);
        if (to == 0) {
            throw RefusedException.invalid("to: missing (expected: the number of a version)");
        }
        long expected = RequestBody.number(body, "expected", 0);
        Rollout rollout = center.releases()
                .rollBack(
                        actor,
                        new Command.RollBack(
                                to,
                                RequestBody.string(body, "reason", ""),
                                expected == 0 ? OptionalLong.empty() : OptionalLong.of(expected)));
        center.reconciler().wake();
        return reply(rollout);
    }

    @PostMapping("/api/rollouts/{id}/promote")
    @ResponseStatus(HttpStatus.ACCEPTED)
    RolloutReply promote(
            @RequestAttribute(AccessFilter.ACTOR) Actor actor,
            @PathVariable("id") long id,
            HttpServletRequest request) {
        JsonNode body = RequestBody.object(request, Set.of("reason", "to"));
        String to = RequestBody.string(body, "to", "");
        if (!to.isEmpty() && !to.equals("all")) {
            throw RefusedException.invalid("to: " + to + " (expected: \"all\", or nothing for the next step)");
        }
        return done(
                trials.promote(actor, new Command.PromoteTrial(id, reason(body), !to.isEmpty(), OptionalLong.empty())));
    }

    @PostMapping("/api/rollouts/{id}/abort")
    @ResponseStatus(HttpStatus.ACCEPTED)
    RolloutReply abort(
            @RequestAttribute(AccessFilter.ACTOR) Actor actor,
            @PathVariable("id") long id,
            HttpServletRequest request) {
        JsonNode body = RequestBody.object(request, Set.of("reason"));
        return done(trials.abort(actor, new Command.AbortRollout(id, reason(body))));
    }

    @PostMapping("/api/rollouts/{id}/verdict")
    RolloutReply verdict(
            @RequestAttribute(AccessFilter.ACTOR) Actor actor,
            @PathVariable("id") long id,
            HttpServletRequest request) {
        JsonNode body = RequestBody.object(request, Set.of("automatic", "reason"));
        if (body.get("automatic") == null) {
            throw RefusedException.invalid("automatic: missing (expected: true or false)");
        }
        return done(trials.setVerdict(
                actor,
                new Command.SetVerdict(
                        id, RequestBody.flag(body, "automatic", false), RequestBody.string(body, "reason", ""))));
    }

    private static String reason(JsonNode body) {
        return Changes.reason(RequestBody.string(body, "reason", ""));
    }

    private RolloutReply done(Rollout rollout) {
        center.reconciler().wake();
        return reply(rollout);
    }

    RolloutReply reply(Rollout rollout) {
        String digest = center.database()
                .read(client -> center.versions().find(client, rollout.version()))
                .map(Version::digest)
                .orElse(rollout.order().digest());
        List<Acknowledgement> nodes = rollout.state() == RolloutState.RELEASING || rollout.isTrial()
                ? Acknowledgement.of(center.nodes().followers(), rollout, digest)
                : Acknowledgement.parse(rollout.nodes());
        return RolloutReply.of(rollout, digest, nodes);
    }
}
