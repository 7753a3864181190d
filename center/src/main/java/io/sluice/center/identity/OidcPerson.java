package io.sluice.center.identity;

import io.sluice.center.access.Grant;
import io.sluice.center.identity.server.Evidence;
import io.sluice.center.identity.server.ServerPerson;
import io.sluice.center.signin.settings.MappedRole;
import io.sluice.center.signin.settings.OidcServer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.security.oauth2.core.oidc.user.OidcUser;

/** Reads the claims of an identity server. */
final class OidcPerson {

    /** The maximum number of values that are read from a claim. */
    private static final int MOST_VALUES = 1_000;

    /** The maximum number of grants. */
    private static final int MOST_GRANTS = 50;

    private OidcPerson() {}

    static ServerPerson of(OidcServer server, OidcUser user) {
        Map<String, Object> claims = user.getClaims();
        boolean isVerified = Boolean.TRUE.equals(claims.get("email_verified"));
        List<String> names = texts(claims, server.claims().user());
        String name = names.isEmpty() ? "" : names.get(0);
        return new ServerPerson(
                server.name(),
                user.getSubject(),
                server.issuer().toString(),
                name,
                String.valueOf(claims.getOrDefault("name", name)),
                isVerified ? String.valueOf(claims.getOrDefault("email", "")) : "",
                grants(server, claims),
                Evidence.claim(
                                server.claims().roles(),
                                texts(claims, server.claims().roles()),
                                claims.keySet(),
                                server.roles().stream().map(MappedRole::group).toList())
                        + tenants(server, claims));
    }

    /** Returns a note if the claim for tenants is missing, because a role for the tenants of that claim then grants nothing. */
    private static String tenants(OidcServer server, Map<String, Object> claims) {
        return server.claims()
                .tenant()
                .filter(claim -> texts(claims, claim).isEmpty())
                .map(claim -> "; the claim " + claim + " for tenants is missing or has no text")
                .orElse("");
    }

    private static List<Grant> grants(OidcServer server, Map<String, Object> claims) {
        List<String> groups = texts(claims, server.claims().roles());
        Optional<List<String>> tenants = server.claims().tenant().map(claim -> texts(claims, claim).stream()
                .filter(Grant::isUsable)
                .toList());
        return server.roles().stream()
                .filter(role -> groups.contains(role.group()))
                .flatMap(role -> role.grants(tenants).stream())
                .distinct()
                .limit(MOST_GRANTS)
                .toList();
    }

    /** Returns the texts of a claim that holds one text or a list. A nested claim is named by both names with a dot between them. */
    private static List<String> texts(Map<String, Object> claims, String name) {
        @Nullable Object value = claims.get(name);
        for (int dot = name.indexOf('.'); value == null && dot > 0; dot = name.indexOf('.', dot + 1)) {
            if (claims.get(name.substring(0, dot)) instanceof Map<?, ?> inner) {
                value = inner.get(name.substring(dot + 1));
            }
        }
        Collection<?> all = value instanceof Collection<?> list ? list : value == null ? List.of() : List.of(value);
        List<String> texts = new ArrayList<>();
        for (Object each : all) {
            if (each instanceof String text && !text.isBlank() && texts.size() < MOST_VALUES) {
                texts.add(text);
            }
        }
        return texts;
    }
}
