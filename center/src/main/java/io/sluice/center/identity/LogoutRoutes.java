package io.sluice.center.identity;

import io.sluice.center.command.Command;
import io.sluice.center.http.CurrentAccess;
import io.sluice.center.identity.server.SignInFailedException;
import io.sluice.center.identity.server.SignInProblem;
import io.sluice.center.people.Account;
import io.sluice.center.people.People;
import io.sluice.center.signin.RefusedRequests;
import io.sluice.center.signin.SignInThrottle;
import io.sluice.center.signin.TooManyAttemptsException;
import jakarta.servlet.http.HttpServletRequest;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Ends sessions when an identity server reports that its own session has ended (OpenID Connect Back-Channel Logout 1.0). A logout
 * token counts once. The next question about the person becomes due immediately, because a person who leaves is signed out first.
 */
@RestController
final class LogoutRoutes {

    private static final String KIND = "oidc-logout";
    private static final String FIELD = "logout_token=";

    /** The time for which a token is remembered after its end, because the clocks of servers may differ by as much. */
    private static final Duration SKEW = Duration.ofMinutes(2);

    private final Map<String, OidcClient> clients;
    private final People people;
    private final SignInThrottle throttle;
    private final RefusedRequests refused;

    LogoutRoutes(Map<String, OidcClient> clients, People people, SignInThrottle throttle, RefusedRequests refused) {
        this.clients = Map.copyOf(clients);
        this.people = people;
        this.throttle = throttle;
        this.refused = refused;
    }

    /** Takes a logout token. Only refused tokens count as attempts. */
    @PostMapping("/sign-in/oidc/{name}/logout")
    ResponseEntity<Map<String, String>> logout(@PathVariable("name") String name, HttpServletRequest request) {
        try {
            OidcClient client = client(name);
            SignInThrottle.Attempt attempt = throttle.admit(request, "");
            Jwt token = client.logout(token(request));
            requireFirst(name, token);
            people.database().write(database -> end(database, name, token, request.getRemoteAddr()));
            attempt.succeeded();
            return ResponseEntity.ok().cacheControl(CacheControl.noStore()).body(Map.of());
        } catch (TooManyAttemptsException e) {
            refused.signIn(request, KIND, "too many attempts", Optional::empty);
            throw e;
        } catch (SignInFailedException e) {
            refused.signIn(
                    request,
                    KIND,
                    (clients.containsKey(name) ? name : "unknown server") + ": the logout token is refused",
                    Optional::empty);
            boolean isAway = e.problem() == SignInProblem.UNAVAILABLE;
            return ResponseEntity.status(isAway ? HttpStatus.SERVICE_UNAVAILABLE : HttpStatus.BAD_REQUEST)
                    .cacheControl(CacheControl.noStore())
                    .body(Map.of(
                            "error",
                            isAway ? "temporarily_unavailable" : "invalid_request",
                            "error_description",
                            isAway
                                    ? "the keys of the identity server are unavailable; see the center's log"
                                    : "logout_token: missing, not valid or used before (expected: a logout token of this"
                                            + " server for this client)"));
        }
    }

    private OidcClient client(String name) throws SignInFailedException {
        OidcClient client = clients.get(name);
        if (client == null) {
            throw new SignInFailedException(SignInProblem.REFUSED, "no such server");
        }
        return client;
    }

    /** Returns the token from the form that the server sends. */
    private static String token(HttpServletRequest request) throws SignInFailedException {
        if (request.getAttribute(CurrentAccess.BODY) instanceof byte[] body) {
            for (String field : new String(body, StandardCharsets.US_ASCII).split("&", -1)) {
                if (field.startsWith(FIELD) && field.length() > FIELD.length()) {
                    return decoded(field.substring(FIELD.length()));
                }
            }
        }
        throw new SignInFailedException(SignInProblem.REFUSED, "no logout token");
    }

    private static String decoded(String value) throws SignInFailedException {
        try {
            return URLDecoder.decode(value, StandardCharsets.US_ASCII);
        } catch (IllegalArgumentException e) {
            throw new SignInFailedException(SignInProblem.REFUSED, "no logout token", e);
        }
    }

    private void requireFirst(String name, Jwt token) throws SignInFailedException {
        Instant end = Optional.ofNullable(token.getExpiresAt()).orElseThrow();
        Duration life = Duration.between(Instant.ofEpochMilli(people.clock().epochMicros() / 1000), end)
                .plus(SKEW);
        if (!people.vault().isFirst(KIND, name + " " + token.getId(), life)) {
            throw new SignInFailedException(SignInProblem.REFUSED, "the logout token was used before");
        }
    }

    /** Ends the sessions that started in one session at the server, or all sessions of the person if the token names no session. */
    private List<Long> end(JdbcClient client, String name, Jwt token, String address) {
        @Nullable String subject = token.getSubject();
        String session = LogoutTokens.session(name, token.getClaimAsString(LogoutTokens.SESSION));
        Optional<Account> person =
                subject == null ? Optional.empty() : people.accounts().from(client, name, subject);
        List<Long> ended = new ArrayList<>();
        List<Long> named = subject == null || person.isPresent()
                ? person.map(Account::id).map(List::of).orElseGet(() -> people.sessions()
                        .accountsOf(client, session))
                : List.of();
        for (long id : named) {
            Account account = people.accounts().find(client, id).orElseThrow();
            int sessions = session.isEmpty()
                    ? people.sessions().endAll(client, id)
                    : people.sessions().endOf(client, id, session);
            people.confirmations().askSoon(client, id);
            if (sessions > 0) {
                log(client, account, sessions, address);
                ended.add(id);
            }
        }
        return ended;
    }

    private void log(JdbcClient client, Account account, int sessions, String address) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("account", account.id());
        details.put("origin", account.origin());
        details.put("sessions", sessions);
        long unused = people.log()
                .add(
                        client,
                        account.actor().at(address),
                        new Command.Act("sign_out", "signed out at " + account.origin(), details));
    }
}
