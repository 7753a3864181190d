package io.sluice.center.token;

import io.sluice.center.access.Access;
import io.sluice.center.access.Grant;
import io.sluice.center.access.Right;
import io.sluice.center.access.Scope;
import io.sluice.center.command.Command;
import io.sluice.center.http.RequestBody;
import io.sluice.center.http.RequestTime;
import io.sluice.center.people.ApiTokens;
import io.sluice.center.refusal.RefusedException;
import io.sluice.rules.yaml.PrintableText;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** A request for a token that its author may have. Immutable. */
record TokenWish(String name, Set<Scope> scopes, Optional<String> tenant, Instant until) {

    private static final int LONGEST_NAME = 100;

    /**
     * Reads a request.
     *
     * @throws RefusedException if it is not valid, or asks for more rights than its author has
     */
    static TokenWish of(JsonNode body, Access access, long now) {
        String name = RequestBody.string(body, "name", "").strip();
        if (name.isEmpty() || name.length() > LONGEST_NAME || !name.equals(shown(name))) {
            throw RefusedException.invalid(
                    "name: missing or not usable (expected: 1 to " + LONGEST_NAME + " printable characters)");
        }
        Set<Scope> scopes = scopes(body.get("scopes"));
        Optional<String> tenant = tenant(RequestBody.string(body, "tenant", ""), scopes, access);
        scopes.forEach(scope -> require(scope, tenant, access));
        return new TokenWish(name, scopes, tenant, until(body, Instant.ofEpochMilli(now)));
    }

    Command.Act command(long id) {
        List<String> words = scopes.stream().map(Scope::word).sorted().toList();
        return new Command.Act(
                "create_token",
                "",
                Map.of(
                        "token", id,
                        "name", name,
                        "scopes", words,
                        "tenant", tenant.orElse(""),
                        "until", until.toString()));
    }

    private static String shown(String name) {
        StringBuilder shown = new StringBuilder();
        name.codePoints()
                .filter(each -> !Character.isISOControl(each)
                        && Character.getType(each) != Character.FORMAT
                        && Character.getType(each) != Character.LINE_SEPARATOR
                        && Character.getType(each) != Character.PARAGRAPH_SEPARATOR
                        && Character.getType(each) != Character.SURROGATE)
                .forEach(shown::appendCodePoint);
        return shown.toString();
    }

    private static Set<Scope> scopes(@Nullable JsonNode list) {
        Set<Scope> scopes = EnumSet.noneOf(Scope.class);
        if (list != null && list.isArray()) {
            for (JsonNode item : list) {
                scopes.add(Scope.find(item.asString("")).orElseThrow(TokenWish::noScopes));
            }
        }
        if (scopes.isEmpty()) {
            throw noScopes();
        }
        return scopes;
    }

    private static RefusedException noScopes() {
        return RefusedException.invalid(
                "scopes: missing or unknown (expected: a list of node, read, apply and operate, such as [\"apply\"])");
    }

    /** Returns the tenant of the token. A person whose roles are all for one tenant gets tokens for this tenant. */
    private static Optional<String> tenant(String named, Set<Scope> scopes, Access access) {
        if (scopes.contains(Scope.NODE)) {
            if (!named.isEmpty()) {
                throw RefusedException.invalid(
                        "tenant: with the scope node (expected: no tenant, because a node receives all rules)");
            }
            return Optional.empty();
        }
        Set<String> tenants = new TreeSet<>();
        access.grants().forEach(grant -> tenants.add(grant.tenant().orElse("")));
        if (!named.isEmpty() || tenants.contains("") || tenants.isEmpty()) {
            return named.isEmpty() ? Optional.empty() : Optional.of(named);
        }
        if (tenants.size() > 1) {
            throw RefusedException.invalid(
                    "tenant: missing (expected: one of your tenants " + String.join(", ", tenants) + ")");
        }
        return Optional.of(tenants.iterator().next());
    }

    private static void require(Scope scope, Optional<String> tenant, Access access) {
        if (scope == Scope.NODE) {
            if (!access.mayEverywhere(Right.MANAGE_TOKENS)) {
                throw RefusedException.forbidden(
                        "scopes: node needs an administrator (expected: scopes that your roles have)");
            }
            return;
        }
        List<Grant> grants = access.grants().stream()
                .filter(grant -> tenant.isEmpty()
                        || grant.tenant().isEmpty()
                        || grant.tenant().equals(tenant))
                .toList();
        if (!scope.isWithin(grants)) {
            throw RefusedException.forbidden("scopes: your roles do not have what " + scope.word() + " allows"
                    + tenant.map(name -> " for the tenant " + PrintableText.text(name))
                            .orElse("")
                    + " (expected: scopes that your roles have)");
        }
    }

    private static Instant until(JsonNode body, Instant now) {
        Instant until = body.has("in") || body.has("until") ? RequestTime.until(body, now) : now.plus(ApiTokens.USUAL);
        if (!until.isAfter(now) || until.isAfter(now.plus(ApiTokens.LONGEST))) {
            throw RefusedException.invalid(
                    "until: " + until + " (expected: a time within the next " + ApiTokens.LONGEST.toDays() + " days)");
        }
        return until;
    }
}
