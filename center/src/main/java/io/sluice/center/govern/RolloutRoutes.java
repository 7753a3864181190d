package io.sluice.center.govern;

import io.sluice.center.access.Access;
import io.sluice.center.access.Right;
import io.sluice.center.change.Changes;
import io.sluice.center.database.Database;
import io.sluice.center.fleet.LiveNodes;
import io.sluice.center.govern.reply.RolloutReply;
import io.sluice.center.http.CurrentAccess;
import io.sluice.center.http.RequestBody;
import io.sluice.center.refusal.RefusedException;
import io.sluice.center.release.Acknowledgement;
import io.sluice.center.release.Reconciler;
import io.sluice.center.release.ReleaseCommand;
import io.sluice.center.release.Releases;
import io.sluice.center.release.Rollout;
import io.sluice.center.release.RolloutState;
import io.sluice.center.release.Trials;
import io.sluice.center.version.Version;
import io.sluice.center.version.Versions;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.trial.CallerTrials;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
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

/** The API of rollouts and rollbacks. */
@RestController
public final class RolloutRoutes {

    private static final int MOST_IN_LIST = 200;

    private final Database database;
    private final Versions versions;
    private final Releases releases;
    private final Reconciler reconciler;
    private final LiveNodes nodes;
    private final Trials trials;
    private final RuleGuard guard;

    RolloutRoutes(
            Database database,
            Versions versions,
            Releases releases,
            Reconciler reconciler,
            LiveNodes nodes,
            RuleGuard guard) {
        this.database = database;
        this.versions = versions;
        this.releases = releases;
        this.reconciler = reconciler;
        this.nodes = nodes;
        this.guard = guard;
        this.trials = releases.trials();
    }

    @GetMapping("/api/rollouts")
    List<RolloutReply> list(
            @RequestAttribute(CurrentAccess.ACCESS) Access access,
            @RequestParam(name = "below", defaultValue = "" + Long.MAX_VALUE) long below,
            @RequestParam(name = "limit", defaultValue = "20") int limit,
            HttpServletRequest request,
            HttpServletResponse response) {
        return database
                .read(client -> RuleGuard.page(
                        below,
                        Math.max(1, Math.min(limit, MOST_IN_LIST)),
                        (next, most) -> releases.rollouts(next, most),
                        Rollout::id,
                        rollout -> guard.sees(client, access, rollout),
                        RuleGuard.rest(request, response)))
                .stream()
                .map(rollout -> reply(access, rollout))
                .toList();
    }

    @GetMapping("/api/rollouts/{id}")
    RolloutReply find(@RequestAttribute(CurrentAccess.ACCESS) Access access, @PathVariable("id") long id) {
        return reply(access, guard.rollout(access, id));
    }

    @PostMapping("/api/rollback")
    @ResponseStatus(HttpStatus.ACCEPTED)
    RolloutReply rollBack(@RequestAttribute(CurrentAccess.ACCESS) Access access, HttpServletRequest request) {
        JsonNode body = RequestBody.object(request, Set.of("to", "reason", "expected", "emergency"));
        long to = RequestBody.number(body, "to", 0);
        if (to == 0) {
            throw RefusedException.invalid("to: missing (expected: the number of a version)");
        }
        long expected = RequestBody.number(body, "expected", 0);
        Rollout rollout = releases.rollBack(
                access.actor(),
                new ReleaseCommand.RollBack(
                        to,
                        RequestBody.string(body, "reason", ""),
                        expected == 0 ? OptionalLong.empty() : OptionalLong.of(expected)),
                EmergencyRequest.isMeant(body, request));
        return done(access, rollout);
    }

    @PostMapping("/api/rollouts/{id}/promote")
    @ResponseStatus(HttpStatus.ACCEPTED)
    RolloutReply promote(
            @RequestAttribute(CurrentAccess.ACCESS) Access access,
            @PathVariable("id") long id,
            HttpServletRequest request) {
        JsonNode body = RequestBody.object(request, Set.of("reason", "to"));
        String to = RequestBody.string(body, "to", "");
        if (!to.isEmpty() && !to.equals("all")) {
            throw RefusedException.invalid("to: " + to + " (expected: \"all\", or nothing for the next step)");
        }
        Rollout known = guard.rollout(access, id);
        guard.change(access, Right.RELEASE, known).ifPresent(change -> guard.requireReleasable(access, change));
        return done(
                access,
                trials.promote(
                        access.actor(),
                        new ReleaseCommand.PromoteTrial(id, reason(body), !to.isEmpty(), OptionalLong.empty())));
    }

    @PostMapping("/api/rollouts/{id}/abort")
    @ResponseStatus(HttpStatus.ACCEPTED)
    RolloutReply abort(
            @RequestAttribute(CurrentAccess.ACCESS) Access access,
            @PathVariable("id") long id,
            HttpServletRequest request) {
        JsonNode body = RequestBody.object(request, Set.of("reason"));
        require(access, Right.OPERATE, guard.rollout(access, id));
        return done(access, trials.abort(access.actor(), new ReleaseCommand.AbortRollout(id, reason(body))));
    }

    @PostMapping("/api/rollouts/{id}/verdict")
    RolloutReply verdict(
            @RequestAttribute(CurrentAccess.ACCESS) Access access,
            @PathVariable("id") long id,
            HttpServletRequest request) {
        JsonNode body = RequestBody.object(request, Set.of("automatic", "reason"));
        if (body.get("automatic") == null) {
            throw RefusedException.invalid("automatic: missing (expected: true or false)");
        }
        require(access, Right.RELEASE, guard.rollout(access, id));
        return done(
                access,
                trials.setVerdict(
                        access.actor(),
                        new ReleaseCommand.SetVerdict(
                                id,
                                RequestBody.flag(body, "automatic", false),
                                RequestBody.string(body, "reason", ""))));
    }

    private static String reason(JsonNode body) {
        return Changes.reason(RequestBody.string(body, "reason", ""));
    }

    /**
     * Requires a right over the change of a rollout. This change cannot be edited, so the checked content is the content that
     * takes effect.
     */
    private void require(Access access, Right right, Rollout rollout) {
        guard.change(access, right, rollout).ifPresent(change -> guard.require(access, right, change));
    }

    private RolloutReply done(Access access, Rollout rollout) {
        reconciler.wake();
        return reply(access, rollout);
    }

    /** Describes a rollout. Nodes are shown only to callers who see all rules, because the errors of a node can name any rule. */
    RolloutReply reply(Access access, Rollout rollout) {
        RolloutReply reply = reply(rollout);
        return access.seesAll() ? reply : reply.withoutNodes();
    }

    private RolloutReply reply(Rollout rollout) {
        String digest = database.read(client -> versions.find(client, rollout.version()))
                .map(Version::digest)
                .orElse(rollout.order().digest());
        List<Acknowledgement> nodes = rollout.state() == RolloutState.RELEASING || rollout.isTrial()
                ? Acknowledgement.of(this.nodes.followers(), rollout, digest)
                : Acknowledgement.parse(rollout.nodes());
        return RolloutReply.of(rollout, digest, nodes, settlesAt(rollout).orElse(null));
    }

    /** Returns the time before which no verdict promotes a trial; empty if none of its counts started fresh. */
    private Optional<Instant> settlesAt(Rollout rollout) {
        Rollout.Progress progress = rollout.progress();
        if (!rollout.isTrial()
                || !rollout.order().plan().to().isSplit()
                || rollout.isWatching()
                || progress.stepAt() == 0) {
            return Optional.empty();
        }
        Duration settling = database.read(client -> {
            Optional<RuleSet> before = versions.rules(client, progress.replaces());
            Optional<RuleSet> after = versions.rules(client, rollout.version());
            return before.isEmpty() || after.isEmpty()
                    ? Duration.ZERO
                    : CallerTrials.settling(before.get(), after.get());
        });
        return settling.isZero()
                ? Optional.empty()
                : Optional.of(Instant.ofEpochMilli(progress.stepAt()).plus(settling));
    }
}
