package io.sluice.center.signin;

import io.sluice.center.access.Endpoint;
import io.sluice.center.command.Actor;
import io.sluice.center.command.RefusalLog;
import io.sluice.center.command.RefusalLog.Caller;
import io.sluice.center.command.RefusalLog.Refusal;
import io.sluice.center.http.CurrentAccess;
import io.sluice.center.people.Account;
import io.sluice.center.people.People;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.context.SecurityContextHolder;

/**
 * Stores refused requests in the log of commands. It never stores text that a stranger typed: a path only in the form of the table of
 * endpoints, a name only if such an account exists, and no part of a credential. Thread-safe.
 */
public final class RefusedRequests {

    private static final int LONGEST_WHY = 1_000;
    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,18}");
    private static final Pattern METHOD = Pattern.compile("[A-Z]{1,10}");

    private final People people;
    private final SessionCookie cookie;
    private final RefusalLog log;

    RefusedRequests(SignInParts parts, SessionCookie cookie) {
        this.people = parts.people();
        this.cookie = cookie;
        this.log = parts.refusals();
    }

    /** Returns whether a request has a credential, valid or not. */
    boolean hasCredential(HttpServletRequest request) {
        return request.getHeader("Authorization") != null
                || cookie.read(request).isPresent();
    }

    /** Stores that the caller of a request does not have the right to it. */
    public void forbidden(HttpServletRequest request, String why) {
        Optional<Actor> known = known(request);
        log.add(
                known.isPresent() ? Caller.KNOWN : Caller.STRANGER,
                RefusalLog.REQUEST,
                request.getRemoteAddr(),
                () -> new Refusal(known.or(() -> bySession(request)).orElse(Actor.NOBODY), details(request, why)));
    }

    /** Stores that the credential of a request is not valid. */
    void unauthorized(HttpServletRequest request) {
        log.add(Caller.STRANGER, RefusalLog.REQUEST, request.getRemoteAddr(), () -> {
            @Nullable String header = request.getHeader("Authorization");
            if (header == null) {
                return new Refusal(Actor.NOBODY, details(request, "the session is unknown or has ended"));
            }
            return Credentials.token(header)
                    .flatMap(secret ->
                            people.database().read(client -> people.tokens().invalid(client, secret)))
                    .map(token -> new Refusal(new Actor("token:" + token.id()), details(request, token.why())))
                    .orElseGet(() -> new Refusal(Actor.NOBODY, details(request, "the token is unknown")));
        });
    }

    /**
     * Stores a failed sign-in.
     *
     * @param way the way of the sign-in, such as {@code password}
     * @param account the account that the caller named or that owns the passkey, if such an account exists
     */
    public void signIn(HttpServletRequest request, String way, String why, Supplier<Optional<Account>> account) {
        log.add(Caller.STRANGER, RefusalLog.SIGN_IN, request.getRemoteAddr(), () -> {
            Map<String, Object> details = new LinkedHashMap<>();
            details.put("way", way);
            details.put("why", why);
            account.get().ifPresent(found -> {
                details.put("account", found.id());
                details.put("user", found.name());
            });
            return new Refusal(Actor.NOBODY, details);
        });
    }

    private static Optional<Actor> known(HttpServletRequest request) {
        return request.getAttribute(CurrentAccess.ACTOR) instanceof Actor actor
                ? Optional.of(actor)
                : SecurityContextHolder.getContext().getAuthentication() instanceof SignedIn signedIn
                        ? Optional.of(signedIn.access().actor())
                        : Optional.empty();
    }

    /**
     * Returns the owner of a session that was not looked up. This is the case for a request that another site caused, which is refused
     * before.
     */
    private Optional<Actor> bySession(HttpServletRequest request) {
        return request.getHeader("Authorization") != null
                ? Optional.empty()
                : cookie.read(request)
                        .flatMap(id -> people.database()
                                .read(client -> people.sessions().owner(client, id)))
                        .map(Account::actor);
    }

    private static Map<String, Object> details(HttpServletRequest request, String why) {
        Map<String, Object> details = new LinkedHashMap<>();
        Optional<Endpoint> endpoint = TableAuthorization.endpoint(request);
        String method = METHOD.matcher(request.getMethod()).matches() ? request.getMethod() : "?";
        details.put("endpoint", method + " " + endpoint.map(Endpoint::path).orElse("unknown"));
        endpoint.flatMap(found -> id(found, request.getRequestURI())).ifPresent(id -> details.put("id", id));
        details.put("why", why.length() > LONGEST_WHY ? why.substring(0, LONGEST_WHY) + "…" : why);
        return details;
    }

    /** Returns the number in a path, such as the number of a change. Other variable parts of paths are text that a caller typed. */
    private static Optional<Long> id(Endpoint endpoint, String path) {
        String[] pattern = endpoint.path().split("/", -1);
        String[] given = path.split("/", -1);
        int place = Arrays.asList(pattern).indexOf("{id}");
        return place >= 0
                        && place < given.length
                        && NUMBER.matcher(given[place]).matches()
                ? Optional.of(Long.parseLong(given[place]))
                : Optional.empty();
    }
}
