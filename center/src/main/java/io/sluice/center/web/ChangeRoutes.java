package io.sluice.center.web;

import io.sluice.center.change.ChangeState;
import io.sluice.center.change.Changes;
import io.sluice.center.command.Actor;
import io.sluice.center.command.Command;
import io.sluice.center.command.RefusedException;
import io.sluice.center.release.Rollout;
import io.sluice.center.web.reply.ChangeReply;
import io.sluice.center.web.reply.ChangeSummary;
import io.sluice.center.web.reply.RolloutReply;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.JsonNode;

/** Changes, and their release. */
@RestController
final class ChangeRoutes {

    private static final int MOST_IN_LIST = 200;

    private final CenterParts center;
    private final Changes changes;
    private final RolloutRoutes rollouts;

    ChangeRoutes(CenterParts center, RolloutRoutes rollouts) {
        this.center = center;
        this.changes = center.changes();
        this.rollouts = rollouts;
    }

    @GetMapping("/api/changes")
    List<ChangeSummary> list(
            @RequestParam(name = "state", defaultValue = "") String state,
            @RequestParam(name = "below", defaultValue = "" + Long.MAX_VALUE) long below,
            @RequestParam(name = "limit", defaultValue = "50") int limit) {
        Optional<ChangeState> wanted = state.isEmpty()
                ? Optional.empty()
                : Optional.of(ChangeState.find(state)
                        .orElseThrow(() -> RefusedException.invalid(
                                "state: " + state + " (expected: open, trial, released, withdrawn or rejected)")));
        return changes.list(wanted, below, Math.max(1, Math.min(limit, MOST_IN_LIST))).stream()
                .map(ChangeSummary::of)
                .toList();
    }

    @GetMapping("/api/changes/{id}")
    ChangeReply find(@PathVariable("id") long id) {
        return ChangeReply.of(
                changes.find(id).orElseThrow(() -> RefusedException.missing("change " + id + ": unknown")));
    }

    @PostMapping("/api/changes")
    @ResponseStatus(HttpStatus.CREATED)
    ChangeReply open(@RequestAttribute(AccessFilter.ACTOR) Actor actor, HttpServletRequest request) {
        ChangeRequest asked = ChangeRequest.read(request, changes);
        return ChangeReply.of(changes.open(
                actor, new Command.OpenChange(asked.title(), asked.reason(), asked.base(), asked.edits())));
    }

    @PutMapping("/api/changes/{id}")
    ChangeReply edit(
            @RequestAttribute(AccessFilter.ACTOR) Actor actor,
            @PathVariable("id") long id,
            HttpServletRequest request) {
        ChangeRequest asked = ChangeRequest.read(request, changes);
        long revision = asked.revision() == 0 ? revision(id) : asked.revision();
        return ChangeReply.of(changes.edit(
                actor,
                new Command.EditChange(id, revision, asked.title(), asked.reason(), asked.base(), asked.edits())));
    }

    @PostMapping("/api/changes/{id}/rebase")
    ChangeReply rebase(
            @RequestAttribute(AccessFilter.ACTOR) Actor actor,
            @PathVariable("id") long id,
            HttpServletRequest request) {
        long revision = RequestBody.number(RequestBody.object(request, Set.of("revision")), "revision", 0);
        return ChangeReply.of(
                changes.rebase(actor, id, revision == 0 ? OptionalLong.empty() : OptionalLong.of(revision)));
    }

    @PostMapping("/api/changes/{id}/withdraw")
    ChangeSummary withdraw(
            @RequestAttribute(AccessFilter.ACTOR) Actor actor,
            @PathVariable("id") long id,
            HttpServletRequest request) {
        return close(actor, id, request, false);
    }

    @PostMapping("/api/changes/{id}/reject")
    ChangeSummary reject(
            @RequestAttribute(AccessFilter.ACTOR) Actor actor,
            @PathVariable("id") long id,
            HttpServletRequest request) {
        return close(actor, id, request, true);
    }

    @PostMapping("/api/changes/{id}/release")
    @ResponseStatus(HttpStatus.ACCEPTED)
    RolloutReply release(
            @RequestAttribute(AccessFilter.ACTOR) Actor actor,
            @PathVariable("id") long id,
            HttpServletRequest request) {
        JsonNode body = RequestBody.object(request, Set.of("digest", "to", "base", "reason", "at", "verdict"));
        String digest = RequestBody.string(body, "digest", "");
        if (!digest.matches("[0-9a-f]{64}")) {
            throw RefusedException.invalid(
                    "digest: missing or not 64 hexadecimal digits (expected: the digest of the change)");
        }
        long base = RequestBody.number(body, "base", -1);
        Rollout rollout = center.releases()
                .release(
                        actor,
                        new Command.ReleaseChange(
                                id,
                                RequestBody.string(body, "reason", ""),
                                digest,
                                base == -1 ? OptionalLong.empty() : OptionalLong.of(base),
                                ReleaseRequest.plan(body),
                                RequestTime.at(body, "at")
                                        .map(Instant::toEpochMilli)
                                        .orElse(0L)));
        center.reconciler().wake();
        return rollouts.reply(rollout);
    }

    private ChangeSummary close(Actor actor, long id, HttpServletRequest request, boolean rejected) {
        String reason = RequestBody.string(RequestBody.object(request, Set.of("reason")), "reason", "");
        return ChangeSummary.of(changes.close(actor, new Command.CloseChange(id, reason, rejected)));
    }

    private long revision(long id) {
        return changes.find(id)
                .orElseThrow(() -> RefusedException.missing("change " + id + ": unknown"))
                .change()
                .revision();
    }
}
