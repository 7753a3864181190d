package io.sluice.center.access;

import static io.sluice.center.access.Right.APPROVE;
import static io.sluice.center.access.Right.EDIT;
import static io.sluice.center.access.Right.MANAGE_CENTER;
import static io.sluice.center.access.Right.MANAGE_PEOPLE;
import static io.sluice.center.access.Right.OPERATE;
import static io.sluice.center.access.Right.READ;
import static io.sluice.center.access.Right.RELEASE;
import static io.sluice.center.access.Right.REPORT;
import static io.sluice.center.access.Right.REVEAL;
import static io.sluice.center.access.Right.SEE_FLEET;
import static io.sluice.center.access.Right.SEE_LOG;

import io.sluice.runtime.recording.ExcerptQuestion;
import java.util.ArrayList;
import java.util.List;

/**
 * Every endpoint of the center, with the right that it needs and the maximum size of its body. A request that is not in this table is
 * refused. No byte of a body is read before the caller is found to have the right.
 */
public final class AccessTable {

    /** The size for reports of nodes, pasted requests and lists. */
    private static final int MEDIUM = 1024 * 1024;

    /** The size for checks, which run while a person writes and are therefore bounded more than releases. 20,000 rules fit. */
    private static final int CHECKED_DOCUMENT = 8 * 1024 * 1024;

    /** The size for a document. 200,000 rules fit. */
    private static final int DOCUMENT = 64 * 1024 * 1024;

    private static final List<Endpoint> RULES = List.of(
            Endpoint.of("GET", "/api/rules", READ),
            Endpoint.of("GET", "/api/rules/schema", READ),
            Endpoint.of("GET", "/api/rules/{id}", READ),
            Endpoint.of("GET", "/api/rules/{id}/history", READ),
            Endpoint.of("GET", "/api/versions", READ),
            Endpoint.of("GET", "/api/versions/{number}", READ),
            Endpoint.of("GET", "/api/versions/{number}/diff", READ));

    private static final List<Endpoint> CHANGES = List.of(
            Endpoint.of("GET", "/api/changes", READ),
            Endpoint.of("GET", "/api/changes/{id}", READ),
            Endpoint.of("POST", "/api/changes", EDIT).upTo(DOCUMENT),
            Endpoint.of("POST", "/api/changes/check", EDIT).upTo(CHECKED_DOCUMENT),
            Endpoint.of("POST", "/api/changes/dry-run", EDIT).upTo(CHECKED_DOCUMENT),
            Endpoint.of("PUT", "/api/changes/{id}", EDIT).upTo(DOCUMENT),
            Endpoint.of("POST", "/api/changes/{id}/rebase", EDIT),
            Endpoint.of("POST", "/api/changes/{id}/withdraw", EDIT),
            Endpoint.of("POST", "/api/changes/{id}/reject", APPROVE),
            Endpoint.of("POST", "/api/changes/{id}/release", RELEASE));

    private static final List<Endpoint> ROLLOUTS = List.of(
            Endpoint.of("GET", "/api/rollouts", READ),
            Endpoint.of("GET", "/api/rollouts/{id}", READ),
            Endpoint.of("POST", "/api/rollouts/{id}/promote", RELEASE),
            Endpoint.of("POST", "/api/rollouts/{id}/abort", OPERATE),
            Endpoint.of("POST", "/api/rollouts/{id}/verdict", RELEASE),
            Endpoint.of("POST", "/api/rollback", OPERATE).everywhere());

    private static final List<Endpoint> ADJUSTMENTS = List.of(
            Endpoint.of("GET", "/api/overrides", READ),
            Endpoint.of("POST", "/api/overrides", OPERATE),
            Endpoint.of("DELETE", "/api/overrides/{id}", OPERATE),
            Endpoint.of("GET", "/api/switch", READ),
            Endpoint.of("POST", "/api/switch", OPERATE),
            Endpoint.of("DELETE", "/api/switch/{id}", OPERATE));

    /** People see their own tokens, and the tokens of others within their right to manage tokens. */
    private static final List<Endpoint> TOKENS = List.of(
            Endpoint.own("GET", "/api/tokens"),
            Endpoint.own("POST", "/api/tokens").fresh(),
            Endpoint.own("DELETE", "/api/tokens/{id}"));

    private static final List<Endpoint> APPROVALS = List.of(
            Endpoint.of("GET", "/api/changes/own", EDIT),
            Endpoint.of("POST", "/api/changes/{id}/approve", APPROVE).fresh(),
            Endpoint.of("GET", "/api/approval-settings", READ),
            Endpoint.of("POST", "/api/approval-settings", MANAGE_CENTER)
                    .everywhere()
                    .upTo(MEDIUM),
            Endpoint.of("POST", "/api/approval-settings/{id}/approve", APPROVE)
                    .everywhere()
                    .fresh(),
            Endpoint.of("POST", "/api/approval-settings/{id}/reject", APPROVE).everywhere(),
            Endpoint.of("GET", "/api/emergencies", READ).everywhere(),
            Endpoint.of("POST", "/api/emergencies/{id}/accept", APPROVE).fresh(),
            Endpoint.of("POST", "/api/emergencies/{id}/reject", APPROVE).fresh(),
            Endpoint.own("GET", "/api/notices"));

    /** The replies are limited to the rules that the caller may read; totals need the right to see the fleet. */
    private static final List<Endpoint> TRAFFIC = List.of(
            Endpoint.of("GET", "/api/series", READ),
            Endpoint.of("GET", "/api/top", READ),
            Endpoint.of("GET", "/api/callers/{hash}", READ),
            Endpoint.of("POST", "/api/explain", READ).upTo(MEDIUM),
            Endpoint.of("POST", "/api/callers/{hash}/reveal", REVEAL)
                    .everywhere()
                    .fresh());

    private static final List<Endpoint> CENTER = List.of(
            Endpoint.open("GET", "/health"),
            Endpoint.open("GET", "/api/openapi.json"),
            Endpoint.of("GET", "/api/status", SEE_FLEET).everywhere(),
            Endpoint.of("POST", "/api/mirror/repair", MANAGE_CENTER).everywhere(),
            Endpoint.of("GET", "/api/commands", SEE_LOG).everywhere(),
            Endpoint.of("GET", "/api/audit", SEE_LOG).everywhere(),
            Endpoint.of("POST", "/api/audit/verify", SEE_LOG).everywhere(),
            Endpoint.of("GET", "/api/audit/export", SEE_LOG).everywhere(),
            Endpoint.of("GET", "/api/audit/sinks", SEE_FLEET).everywhere(),
            Endpoint.of("GET", "/api/erasures", MANAGE_CENTER).everywhere(),
            Endpoint.of("GET", "/api/erasures/{id}", MANAGE_CENTER).everywhere(),
            Endpoint.of("POST", "/api/erasures", MANAGE_CENTER).everywhere().fresh(),
            Endpoint.own("GET", "/api/retention"),
            Endpoint.of("GET", "/api/decisions", READ),
            Endpoint.of("GET", "/api/stream", READ),
            Endpoint.of("GET", "/api/nodes", SEE_FLEET).everywhere(),
            Endpoint.of("GET", "/api/nodes/{id}", SEE_FLEET).everywhere(),
            Endpoint.of("POST", "/api/nodes/{id}/heartbeat", REPORT)
                    .everywhere()
                    .upTo(MEDIUM),
            Endpoint.of("POST", "/api/nodes/{id}/excerpts/{question}", REPORT)
                    .everywhere()
                    .upTo(ExcerptQuestion.MOST_BYTES),
            Endpoint.of("GET", "/api/nodes/rules", REPORT).everywhere(),
            Endpoint.of("GET", "/api/durable/sums", REPORT).everywhere(),
            Endpoint.of("POST", "/api/durable/sums", REPORT).everywhere().upTo(MEDIUM),
            Endpoint.of("POST", "/api/durable/restores/{store}", REPORT)
                    .everywhere()
                    .upTo(MEDIUM),
            Endpoint.of("POST", "/api/durable/erasures", REPORT).everywhere().upTo(MEDIUM));

    private static final List<Endpoint> ALERTS = List.of(
            Endpoint.of("GET", "/api/alerts", SEE_FLEET).everywhere(),
            Endpoint.of("GET", "/api/alerts/destinations", SEE_FLEET).everywhere(),
            Endpoint.of("GET", "/api/alerts/rules", SEE_FLEET).everywhere(),
            Endpoint.of("PUT", "/api/alerts/rules/{id}", MANAGE_CENTER).everywhere(),
            Endpoint.of("DELETE", "/api/alerts/rules/{id}", MANAGE_CENTER).everywhere(),
            Endpoint.of("GET", "/api/alerts/silences", SEE_FLEET).everywhere(),
            Endpoint.of("POST", "/api/alerts/silences", OPERATE).everywhere(),
            Endpoint.of("DELETE", "/api/alerts/silences/{id}", OPERATE).everywhere());

    private static final List<Endpoint> ACCOUNTS = List.of(
            Endpoint.open("GET", "/api/session"),
            Endpoint.open("POST", "/api/session"),
            Endpoint.own("DELETE", "/api/session"),
            Endpoint.own("POST", "/api/session/factor"),
            Endpoint.open("POST", "/api/set-up/look"),
            Endpoint.open("POST", "/api/set-up"),
            Endpoint.own("GET", "/api/me"),
            Endpoint.own("PUT", "/api/me/password").fresh(),
            Endpoint.of("GET", "/api/users", MANAGE_PEOPLE),
            Endpoint.of("POST", "/api/users", MANAGE_PEOPLE).freshForPeople(),
            Endpoint.of("GET", "/api/users/{id}", MANAGE_PEOPLE),
            Endpoint.of("PUT", "/api/users/{id}", MANAGE_PEOPLE).freshForPeople(),
            Endpoint.of("DELETE", "/api/users/{id}", MANAGE_PEOPLE).freshForPeople(),
            Endpoint.of("POST", "/api/users/{id}/link", MANAGE_PEOPLE).freshForPeople());

    private static final List<Endpoint> PASSKEYS = List.of(
            Endpoint.own("GET", "/api/me/passkeys"),
            Endpoint.own("POST", "/api/me/passkeys/options").fresh(),
            Endpoint.own("POST", "/api/me/passkeys").fresh(),
            Endpoint.own("DELETE", "/api/me/passkeys/{id}").fresh(),
            Endpoint.open("POST", "/api/session/passkey/options"),
            Endpoint.open("POST", "/api/session/passkey"));

    private static final List<Endpoint> PAGES = List.of(
            Endpoint.open("GET", "/"),
            Endpoint.open("GET", "/set-up"),
            Endpoint.open("GET", "/sign-in"),
            Endpoint.open("GET", "/step-up"),
            Endpoint.open("GET", "/account"),
            Endpoint.open("GET", "/retention"),
            Endpoint.open("GET", "/traffic"),
            Endpoint.open("GET", "/callers/{id}"),
            Endpoint.open("GET", "/rules"),
            Endpoint.open("GET", "/rules/{id}"),
            Endpoint.open("GET", "/editor"),
            Endpoint.open("GET", "/changes"),
            Endpoint.open("GET", "/changes/{id}"),
            Endpoint.open("GET", "/releases"),
            Endpoint.open("GET", "/releases/{id}"),
            Endpoint.open("GET", "/nodes"),
            Endpoint.open("GET", "/shadow"),
            Endpoint.open("GET", "/explain"),
            Endpoint.open("GET", "/decisions"),
            Endpoint.open("GET", "/alerts"),
            Endpoint.open("GET", "/audit"),
            Endpoint.open("GET", "/people"),
            Endpoint.open("GET", "/tokens"),
            Endpoint.open("GET", "/approvals"),
            Endpoint.open("GET", "/design"),
            Endpoint.open("GET", "/favicon.ico"),
            Endpoint.open("GET", "/assets/{file}"),
            Endpoint.open("GET", "/assets/{folder}/{file}"));

    private static final List<Endpoint> SERVERS = List.of(
            Endpoint.open("GET", "/sign-in/oidc/{name}"),
            Endpoint.open("GET", "/sign-in/oidc/{name}/callback"),
            Endpoint.open("POST", "/sign-in/oidc/{name}/logout"));

    private static final List<Endpoint> ALL = join(List.of(
            RULES,
            CHANGES,
            ROLLOUTS,
            ADJUSTMENTS,
            TOKENS,
            TRAFFIC,
            ALERTS,
            CENTER,
            ACCOUNTS,
            PASSKEYS,
            PAGES,
            SERVERS,
            APPROVALS));

    private AccessTable() {}

    /** Returns all rows. */
    public static List<Endpoint> endpoints() {
        return ALL;
    }

    private static List<Endpoint> join(List<List<Endpoint>> groups) {
        List<Endpoint> all = new ArrayList<>();
        groups.forEach(all::addAll);
        return List.copyOf(all);
    }
}
