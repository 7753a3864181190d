package io.sluice.center.govern;

import io.sluice.center.access.Access;
import io.sluice.center.access.Right;
import io.sluice.center.change.Change;
import io.sluice.center.change.ChangeCommand;
import io.sluice.center.change.ChangeState;
import io.sluice.center.change.Changes;
import io.sluice.center.change.Changes.Reviewed;
import io.sluice.center.database.Database;
import io.sluice.center.dryrun.DryRunReply;
import io.sluice.center.govern.reply.ChangeReply;
import io.sluice.center.govern.reply.ChangeSummary;
import io.sluice.center.govern.reply.CheckReply;
import io.sluice.center.govern.reply.RolloutReply;
import io.sluice.center.http.CurrentAccess;
import io.sluice.center.http.RequestBody;
import io.sluice.center.http.RequestTime;
import io.sluice.center.refusal.RefusedException;
import io.sluice.center.release.Reconciler;
import io.sluice.center.release.ReleaseCommand;
import io.sluice.center.release.Releases;
import io.sluice.center.release.Rollout;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.springframework.http.HttpHeaders;
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

/** The API of changes and their release. */
@RestController
public final class ChangeRoutes {

    private static final int MOST_IN_LIST = 200;

    private final Database database;
    private final Releases releases;
    private final Reconciler reconciler;
    private final Changes changes;
    private final RolloutRoutes rollouts;
    private final RuleGuard guard;
    private final ChangeCheck check;
    private final ChangeDryRun dryRun;

    ChangeRoutes(
            Database database,
            Changes changes,
            Releases releases,
            Reconciler reconciler,
            RolloutRoutes rollouts,
            RuleGuard guard,
            ChangeCheck check,
            ChangeDryRun dryRun) {
        this.database = database;
        this.changes = changes;
        this.releases = releases;
        this.reconciler = reconciler;
        this.rollouts = rollouts;
        this.guard = guard;
        this.check = check;
        this.dryRun = dryRun;
    }

    @GetMapping("/api/changes")
    List<ChangeSummary> list(
            @RequestAttribute(CurrentAccess.ACCESS) Access access,
            @RequestParam(name = "state", defaultValue = "") String state,
            @RequestParam(name = "below", defaultValue = "" + Long.MAX_VALUE) long below,
            @RequestParam(name = "limit", defaultValue = "50") int limit,
            HttpServletRequest request,
            HttpServletResponse response) {
        Optional<ChangeState> wanted = state.isEmpty()
                ? Optional.empty()
                : Optional.of(ChangeState.find(state)
                        .orElseThrow(() -> RefusedException.invalid(
                                "state: " + state + " (expected: open, trial, released, withdrawn or rejected)")));
        return database
                .read(client -> RuleGuard.page(
                        below,
                        Math.max(1, Math.min(limit, MOST_IN_LIST)),
                        (next, most) -> changes.list(wanted, next, most),
                        Change::id,
                        change -> guard.sees(client, access, change),
                        RuleGuard.rest(request, response)))
                .stream()
                .map(ChangeSummary::of)
                .toList();
    }

    @GetMapping("/api/changes/{id}")
    ChangeReply find(@RequestAttribute(CurrentAccess.ACCESS) Access access, @PathVariable("id") long id) {
        return reply(access, guard.reviewed(access, id));
    }

    @PostMapping("/api/changes")
    @ResponseStatus(HttpStatus.CREATED)
    ChangeReply open(@RequestAttribute(CurrentAccess.ACCESS) Access access, HttpServletRequest request) {
        ChangeRequest asked = ChangeRequest.read(request, access, guard);
        return reply(
                access,
                changes.open(
                        access.actor(),
                        new ChangeCommand.OpenChange(asked.title(), asked.reason(), asked.base(), asked.edits()),
                        RuleGuard.covering(access, Right.EDIT)));
    }

    @PostMapping("/api/changes/check")
    CheckReply check(@RequestAttribute(CurrentAccess.ACCESS) Access access, HttpServletRequest request) {
        return check.of(access, request);
    }

    @PostMapping("/api/changes/dry-run")
    DryRunReply dryRun(
            @RequestAttribute(CurrentAccess.ACCESS) Access access,
            HttpServletRequest request,
            HttpServletResponse response) {
        response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
        return dryRun.of(access, request);
    }

    @PutMapping("/api/changes/{id}")
    ChangeReply edit(
            @RequestAttribute(CurrentAccess.ACCESS) Access access,
            @PathVariable("id") long id,
            HttpServletRequest request) {
        ChangeRequest asked = ChangeRequest.read(request, access, guard);
        Change known = guard.change(access, id);
        long revision = asked.revision() == 0 ? known.revision() : asked.revision();
        return reply(
                access,
                changes.edit(
                        access.actor(),
                        new ChangeCommand.EditChange(
                                id, revision, asked.title(), asked.reason(), asked.base(), asked.edits()),
                        RuleGuard.covering(access, Right.EDIT)));
    }

    @PostMapping("/api/changes/{id}/rebase")
    ChangeReply rebase(
            @RequestAttribute(CurrentAccess.ACCESS) Access access,
            @PathVariable("id") long id,
            HttpServletRequest request) {
        long revision = RequestBody.number(RequestBody.object(request, Set.of("revision")), "revision", 0);
        Change unused = guard.change(access, id);
        return reply(
                access,
                changes.rebase(
                        access.actor(),
                        id,
                        revision == 0 ? OptionalLong.empty() : OptionalLong.of(revision),
                        RuleGuard.covering(access, Right.EDIT)));
    }

    @PostMapping("/api/changes/{id}/withdraw")
    ChangeSummary withdraw(
            @RequestAttribute(CurrentAccess.ACCESS) Access access,
            @PathVariable("id") long id,
            HttpServletRequest request) {
        return close(access, id, request, false);
    }

    @PostMapping("/api/changes/{id}/reject")
    ChangeSummary reject(
            @RequestAttribute(CurrentAccess.ACCESS) Access access,
            @PathVariable("id") long id,
            HttpServletRequest request) {
        return close(access, id, request, true);
    }

    @PostMapping("/api/changes/{id}/release")
    @ResponseStatus(HttpStatus.ACCEPTED)
    RolloutReply release(
            @RequestAttribute(CurrentAccess.ACCESS) Access access,
            @PathVariable("id") long id,
            HttpServletRequest request) {
        JsonNode body =
                RequestBody.object(request, Set.of("digest", "to", "base", "reason", "at", "verdict", "emergency"));
        String digest = RequestBody.string(body, "digest", "");
        if (!digest.matches("[0-9a-f]{64}")) {
            throw RefusedException.invalid(
                    "digest: missing or not 64 hexadecimal digits (expected: the digest of the change)");
        }
        Change unused = guard.change(access, id);
        requireReleasable(access, id, digest);
        long base = RequestBody.number(body, "base", -1);
        Rollout rollout = releases.release(
                access.actor(),
                new ReleaseCommand.ReleaseChange(
                        id,
                        RequestBody.string(body, "reason", ""),
                        digest,
                        base == -1 ? OptionalLong.empty() : OptionalLong.of(base),
                        ReleaseRequest.plan(body),
                        RequestTime.at(body, "at").map(Instant::toEpochMilli).orElse(0L)),
                EmergencyRequest.isMeant(body, request));
        reconciler.wake();
        return rollouts.reply(access, rollout);
    }

    private ChangeSummary close(Access access, long id, HttpServletRequest request, boolean rejected) {
        String reason = RequestBody.string(RequestBody.object(request, Set.of("reason")), "reason", "");
        Change unused = guard.change(access, id);
        return ChangeSummary.of(changes.close(
                access.actor(),
                new ChangeCommand.CloseChange(id, reason, rejected),
                RuleGuard.covering(access, rejected ? Right.APPROVE : Right.EDIT)));
    }

    /**
     * Requires the right to release the content with this digest. The release requires the same digest, so it releases exactly
     * the content that is checked here.
     */
    private void requireReleasable(Access access, long id, String digest) {
        if (access.mayEverywhere(Right.RELEASE)) {
            return;
        }
        Reviewed reviewed = guard.reviewed(access, id);
        Change open = database.read(client -> changes.requireOpen(client, id));
        guard.requireReleasable(access, open);
        String now = reviewed.review().digest();
        if (open.revision() != reviewed.change().revision() || !digest.equals(now)) {
            throw RefusedException.conflict(
                    "digest: the change would now result in " + now + " (expected: " + digest
                            + "); something else was released or the change was edited, look at it again",
                    Map.of("digest", now, "version", reviewed.review().before().version()));
        }
    }

    private ChangeReply reply(Access access, Reviewed reviewed) {
        return ChangeReply.of(reviewed, guard.review(access, reviewed));
    }
}
