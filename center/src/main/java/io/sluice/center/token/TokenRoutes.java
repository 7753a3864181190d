package io.sluice.center.token;

import io.sluice.center.access.Access;
import io.sluice.center.access.Right;
import io.sluice.center.access.Scope;
import io.sluice.center.command.Command;
import io.sluice.center.http.CurrentAccess;
import io.sluice.center.http.RequestBody;
import io.sluice.center.people.Account;
import io.sluice.center.people.ApiToken;
import io.sluice.center.people.ApiTokens;
import io.sluice.center.people.Confirmer;
import io.sluice.center.people.People;
import io.sluice.center.refusal.RefusedException;
import io.sluice.center.signin.SignInParts;
import jakarta.servlet.http.HttpServletRequest;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** The routes for tokens of programs. People manage their own tokens; an administrator also sees and revokes the tokens of others. */
@RestController
public final class TokenRoutes {

    private static final int MOST_IN_LIST = 200;
    private static final int MOST_OF_ONE_OWNER = 100;
    private static final int LONGEST_REASON = 200;

    private final People people;
    private final Confirmer confirmer;

    TokenRoutes(SignInParts parts) {
        this.people = parts.people();
        this.confirmer = parts.confirmer();
    }

    @GetMapping("/api/tokens")
    List<TokenReply> tokens(
            @RequestAttribute(CurrentAccess.ACCESS) Access access,
            @RequestParam(name = "below", defaultValue = "" + Long.MAX_VALUE) long below,
            @RequestParam(name = "limit", defaultValue = "50") int limit) {
        return people.database().read(client -> {
            Map<Long, String> owners = new HashMap<>();
            people.accounts().all(client).forEach(account -> owners.put(account.id(), account.name()));
            return people.tokens().all(client).stream()
                    .filter(token -> token.id() < below && reaches(access, token))
                    .limit(Math.max(1, Math.min(limit, MOST_IN_LIST)))
                    .map(token -> TokenReply.of(token, owners.get(token.account()), now()))
                    .toList();
        });
    }

    @PostMapping("/api/tokens")
    @ResponseStatus(HttpStatus.CREATED)
    NewTokenReply create(@RequestAttribute(CurrentAccess.ACCESS) Access access, HttpServletRequest request) {
        TokenWish wish = TokenWish.of(
                RequestBody.object(request, Set.of("name", "scopes", "tenant", "in", "until")), access, now());
        ApiTokens.Created created = people.database().write(client -> {
            requireRoom(client, access);
            ApiTokens.Created made = people.tokens()
                    .create(
                            client,
                            access.account(),
                            wish.name(),
                            wish.scopes(),
                            wish.tenant(),
                            wish.until().toEpochMilli());
            people.log().add(client, access.actor(), wish.command(made.token().id()));
            return made;
        });
        return NewTokenReply.of(
                created, owner(access.account()).orElse(null), now(), people.restsAt(access.account(), confirmer));
    }

    @DeleteMapping("/api/tokens/{id}")
    TokenReply revoke(
            @RequestAttribute(CurrentAccess.ACCESS) Access access,
            @PathVariable("id") long id,
            HttpServletRequest request) {
        String reason = RequestBody.string(RequestBody.object(request, Set.of("reason")), "reason", "")
                .strip();
        if (reason.length() > LONGEST_REASON) {
            throw RefusedException.invalid(
                    "reason: " + reason.length() + " characters (expected: at most " + LONGEST_REASON + ")");
        }
        ApiToken revoked = people.database().write(client -> {
            ApiToken token = people.tokens()
                    .find(client, id)
                    .filter(found -> reaches(access, found))
                    .orElseThrow(() -> RefusedException.missing(
                            "token " + id + ": unknown (expected: one of" + " GET /api/tokens)"));
            if (token.revokedAt() != 0) {
                return token;
            }
            people.tokens().revoke(client, id);
            people.log()
                    .add(
                            client,
                            access.actor(),
                            new Command.Act(
                                    "revoke_token",
                                    reason,
                                    Map.of(
                                            "token",
                                            id,
                                            "name",
                                            token.name(),
                                            "owner",
                                            token.account(),
                                            "scopes",
                                            token.scopes().stream()
                                                    .map(Scope::word)
                                                    .sorted()
                                                    .toList(),
                                            "tenant",
                                            token.tenant().orElse(""))));
            return people.tokens().find(client, id).orElseThrow();
        });
        return TokenReply.of(revoked, owner(revoked.account()).orElse(null), now());
    }

    /** Returns whether the caller may see and revoke a token. The right over one tenant covers only tokens for that tenant. */
    private static boolean reaches(Access access, ApiToken token) {
        return token.account() == access.account()
                || access.mayEverywhere(Right.MANAGE_TOKENS)
                || (token.tenant().isPresent()
                        && access.grants().stream()
                                .anyMatch(grant -> grant.role().has(Right.MANAGE_TOKENS)
                                        && grant.tenant().equals(token.tenant())
                                        && grant.labels().isEmpty()));
    }

    private void requireRoom(JdbcClient client, Access access) {
        long valid = people.tokens().all(client).stream()
                .filter(token -> token.account() == access.account() && token.isValid(now()))
                .count();
        if (valid >= MOST_OF_ONE_OWNER) {
            throw RefusedException.conflict("tokens: you have " + valid + " (expected: at most " + MOST_OF_ONE_OWNER
                    + " that are valid; revoke those that are not needed)");
        }
    }

    private Optional<String> owner(long account) {
        return people.database()
                .read(client -> people.accounts().find(client, account).map(Account::name));
    }

    private long now() {
        return people.clock().epochMicros() / 1000;
    }
}
