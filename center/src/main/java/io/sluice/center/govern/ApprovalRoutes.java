package io.sluice.center.govern;

import io.sluice.center.access.Access;
import io.sluice.center.approval.ApprovalSettings;
import io.sluice.center.approval.SettingsBook;
import io.sluice.center.change.Change;
import io.sluice.center.change.Changes;
import io.sluice.center.change.Changes.Reviewed;
import io.sluice.center.database.Database;
import io.sluice.center.govern.reply.ApprovalSettingsReply;
import io.sluice.center.govern.reply.ChangeReply;
import io.sluice.center.govern.reply.ChangeSummary;
import io.sluice.center.govern.reply.EmergencyReply;
import io.sluice.center.govern.reply.NoticeReply;
import io.sluice.center.http.CurrentAccess;
import io.sluice.center.http.RequestBody;
import io.sluice.center.refusal.RefusedException;
import io.sluice.center.release.EmergencyReview;
import io.sluice.center.release.Reconciler;
import io.sluice.center.release.Releases;
import io.sluice.rules.yaml.Spans;
import jakarta.servlet.http.HttpServletRequest;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.JsonNode;

/** The API of approvals, of their settings, and of emergencies. */
@RestController
public final class ApprovalRoutes {

    private static final int MOST_IN_LIST = 200;
    private static final int MOST_NOTICES = 50;
    private static final String DIGEST = "[0-9a-f]{64}";
    private static final BigDecimal PERCENT = BigDecimal.valueOf(100);

    private final Database database;
    private final Reconciler reconciler;
    private final Changes changes;
    private final EmergencyReview emergencies;
    private final SettingsBook settings;
    private final RuleGuard guard;

    ApprovalRoutes(
            Database database,
            Changes changes,
            Releases releases,
            Reconciler reconciler,
            SettingsBook settings,
            RuleGuard guard) {
        this.database = database;
        this.changes = changes;
        this.reconciler = reconciler;
        this.settings = settings;
        this.guard = guard;
        this.emergencies = releases.emergencies();
    }

    /** Returns the caller's open changes with a given result, so that a program finds its change that waits for approval. */
    @GetMapping("/api/changes/own")
    List<ChangeSummary> own(
            @RequestAttribute(CurrentAccess.ACCESS) Access access, @RequestParam(name = "digest") String digest) {
        List<Change> own = changes.own(access.actor(), digest(digest), MOST_IN_LIST);
        return database.read(client -> own.stream()
                .filter(change -> guard.sees(client, access, change))
                .map(ChangeSummary::of)
                .toList());
    }

    @PostMapping("/api/changes/{id}/approve")
    ChangeReply approve(
            @RequestAttribute(CurrentAccess.ACCESS) Access access,
            @PathVariable("id") long id,
            HttpServletRequest request) {
        JsonNode body = RequestBody.object(request, Set.of("digest", "comment"));
        String digest = digest(RequestBody.string(body, "digest", ""));
        Change unused = guard.change(access, id);
        Reviewed approved = changes.approve(access, id, digest, RequestBody.string(body, "comment", ""));
        return ChangeReply.of(approved, guard.review(access, approved));
    }

    @GetMapping("/api/approval-settings")
    ApprovalSettingsReply settings(@RequestAttribute(CurrentAccess.ACCESS) Access access) {
        ApprovalSettingsReply reply = ApprovalSettingsReply.of(settings.view());
        return access.seesAll() ? reply : reply.withoutProposals();
    }

    @PostMapping("/api/approval-settings")
    @ResponseStatus(HttpStatus.CREATED)
    ApprovalSettingsReply propose(@RequestAttribute(CurrentAccess.ACCESS) Access access, HttpServletRequest request) {
        JsonNode body = RequestBody.object(request, Set.of("approvals", "expires", "emergency", "raise", "reason"));
        var unused = settings.propose(
                access,
                current -> new ApprovalSettings(
                        current.revision(),
                        RequestBody.number(body, "approvals", current.approvals()),
                        span(body, "expires", current.expires()),
                        span(body, "emergency", current.emergency()),
                        raise(body.get("raise"), current.raisePercent())),
                reason(body));
        return settings(access);
    }

    @PostMapping("/api/approval-settings/{id}/approve")
    ApprovalSettingsReply approveSettings(
            @RequestAttribute(CurrentAccess.ACCESS) Access access,
            @PathVariable("id") long id,
            HttpServletRequest request) {
        JsonNode body = RequestBody.object(request, Set.of("comment"));
        return ApprovalSettingsReply.of(settings.approve(access, id, RequestBody.string(body, "comment", "")));
    }

    @PostMapping("/api/approval-settings/{id}/reject")
    ApprovalSettingsReply rejectSettings(
            @RequestAttribute(CurrentAccess.ACCESS) Access access,
            @PathVariable("id") long id,
            HttpServletRequest request) {
        JsonNode body = RequestBody.object(request, Set.of("reason"));
        return ApprovalSettingsReply.of(settings.reject(access, id, reason(body)));
    }

    @GetMapping("/api/emergencies")
    List<EmergencyReply> emergencies(
            @RequestParam(name = "below", defaultValue = "" + Long.MAX_VALUE) long below,
            @RequestParam(name = "limit", defaultValue = "50") int limit) {
        return emergencies.list(below, Math.max(1, Math.min(limit, MOST_IN_LIST))).stream()
                .map(EmergencyReply::of)
                .toList();
    }

    @PostMapping("/api/emergencies/{id}/accept")
    EmergencyReply accept(
            @RequestAttribute(CurrentAccess.ACCESS) Access access,
            @PathVariable("id") long id,
            HttpServletRequest request) {
        return EmergencyReply.of(emergencies.accept(access, id, reason(RequestBody.object(request, Set.of("reason")))));
    }

    @PostMapping("/api/emergencies/{id}/reject")
    EmergencyReply reject(
            @RequestAttribute(CurrentAccess.ACCESS) Access access,
            @PathVariable("id") long id,
            HttpServletRequest request) {
        EmergencyReply reply = EmergencyReply.of(
                emergencies.reject(access, id, reason(RequestBody.object(request, Set.of("reason")))));
        reconciler.wake();
        return reply;
    }

    /** Returns the notices for the person who asks. */
    @GetMapping("/api/notices")
    List<NoticeReply> notices(@RequestAttribute(CurrentAccess.ACCESS) Access access) {
        return Stream.of(
                        emergencies.awaiting(access).stream().map(NoticeReply::of),
                        database.read(client -> settings.awaiting(client, access)).stream()
                                .map(NoticeReply::of),
                        changes.awaiting(access, MOST_NOTICES).stream().map(NoticeReply::of))
                .flatMap(notices -> notices)
                .toList();
    }

    private static String digest(String digest) {
        if (!digest.matches(DIGEST)) {
            throw RefusedException.invalid(
                    "digest: missing or not 64 hexadecimal digits (expected: the digest of the change)");
        }
        return digest;
    }

    private static String reason(JsonNode body) {
        return Changes.reason(RequestBody.string(body, "reason", ""));
    }

    private static Duration span(JsonNode body, String name, Duration otherwise) {
        String text = RequestBody.string(body, name, "");
        return text.isEmpty() ? otherwise : Spans.of(text);
    }

    private static long raise(@Nullable JsonNode raise, long otherwise) {
        if (raise == null || raise.isNull()) {
            return otherwise;
        }
        BigDecimal percent = raise.isNumber() ? raise.decimalValue().multiply(PERCENT) : BigDecimal.ZERO;
        if (percent.stripTrailingZeros().scale() > 0 || percent.abs().compareTo(BigDecimal.valueOf(1_000_000)) > 0) {
            throw RefusedException.invalid("raise: not a usable number (expected: 1..10, such as 2 or 1.5)");
        }
        return percent.longValueExact();
    }
}
