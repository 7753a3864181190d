package io.sluice.center.identity;

import io.sluice.center.identity.server.ServerPerson;
import io.sluice.center.identity.server.SignInFailedException;
import io.sluice.center.identity.server.SignInProblem;
import io.sluice.center.people.Account;
import io.sluice.center.people.Factor;
import io.sluice.center.people.People;
import io.sluice.center.signin.PublicAddress;
import io.sluice.center.signin.RefusedRequests;
import io.sluice.center.signin.SessionCookie;
import io.sluice.center.signin.SessionStart;
import io.sluice.center.signin.SignInThrottle;
import io.sluice.center.signin.TooManyAttemptsException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.security.core.authority.FactorGrantedAuthority;
import org.springframework.security.oauth2.core.oidc.user.OidcUser;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/**
 * Sends a browser to an identity server and back. An answer counts once, in the browser that started the sign-in, and only from
 * the server that was asked. No text of a server is shown: the sign-in page receives one of a few fixed words.
 */
@RestController
final class OidcRoutes implements AutoCloseable {

    private static final String KIND = "oidc";
    private static final String COOKIE = "sluice_oidc";

    /** The time limit for signing in at the server. */
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    /** The maximum age of a proof if a fresh one is requested. */
    private static final Duration FRESH = Duration.ofMinutes(5);

    /** The maximum number of tabs in which a browser may sign in. With more tabs, the oldest sign-ins expire. */
    private static final int MAX_TABS = 4;

    private static final int LONGEST_CODE = 4_000;
    private static final int LONGEST_PATH = 500;

    private final Map<String, OidcClient> clients;
    private final People people;
    private final ServerAccounts accounts;
    private final SessionCookie cookie;
    private final SessionStart start;
    private final SignInThrottle throttle;
    private final RefusedRequests refused;
    private final Supplier<PublicAddress> address;

    OidcRoutes(
            Map<String, OidcClient> clients,
            ServerAccounts accounts,
            People people,
            SessionCookie cookie,
            SessionStart start,
            SignInThrottle throttle,
            RefusedRequests refused,
            Supplier<PublicAddress> address) {
        this.clients = Map.copyOf(clients);
        this.people = people;
        this.accounts = accounts;
        this.cookie = cookie;
        this.start = start;
        this.throttle = throttle;
        this.refused = refused;
        this.address = address;
    }

    /** Redirects to the server. With {@code fresh=true} the server asks the person again; {@code to} is the path to show afterwards. */
    @GetMapping(path = "/sign-in/oidc/{name}")
    void begin(@PathVariable("name") String name, HttpServletRequest request, HttpServletResponse response) {
        try {
            OidcClient client = client(name);
            admitBeginning(request);
            OidcClient.Begun begun = client.begin(
                    request,
                    address.get().url() + "/sign-in/oidc/" + client.server().name() + "/callback",
                    local(request.getParameter("to")),
                    "true".equals(request.getParameter("fresh")));
            String secret = people.vault().begin(KIND, begun.ceremony().write(), PATIENCE);
            List<String> secrets = secrets(request);
            secrets.add(secret);
            write(response, secrets);
            redirect(response, begun.address());
        } catch (SignInFailedException e) {
            redirect(response, problem(e));
        }
    }

    private void admitBeginning(HttpServletRequest request) {
        try {
            throttle.admitBeginning(request);
        } catch (TooManyAttemptsException e) {
            refused.signIn(request, KIND, "too many attempts", Optional::empty);
            throw e;
        }
    }

    /** Takes the answer of the server. */
    @GetMapping(path = "/sign-in/oidc/{name}/callback")
    void callback(@PathVariable("name") String name, HttpServletRequest request, HttpServletResponse response) {
        try {
            OidcClient client = client(name);
            OidcCeremony ceremony = ceremony(request, response);
            OidcClient.Finished finished =
                    client.finish(ceremony, code(client, ceremony, request), request.getParameter("iss"));
            OidcUser user = finished.user();
            Factor factor = factor(user, ceremony);
            ServerPerson person = person(client, user);
            Account account = accounts.admit(
                    person, new RefreshTokens(client.server()).encrypted(finished.refreshToken(), person.subject()));
            String unused = start.begin(
                    request,
                    response,
                    account,
                    factor,
                    LogoutTokens.session(name, user.getIdToken().getClaimAsString(LogoutTokens.SESSION)));
            redirect(response, address.get().url() + ceremony.next());
        } catch (SignInFailedException e) {
            refused.signIn(request, KIND, reason(name, e), Optional::empty);
            redirect(response, problem(e));
        }
    }

    /**
     * Returns the sign-in that the answer belongs to, once. The sign-ins of other tabs stay, so that neither an old tab nor a
     * foreign answer ends them.
     */
    private OidcCeremony ceremony(HttpServletRequest request, HttpServletResponse response)
            throws SignInFailedException {
        List<String> secrets = secrets(request);
        SignInProblem problem = SignInProblem.EXPIRED;
        for (String secret : secrets) {
            Optional<OidcCeremony> asked = people.vault().look(KIND, secret).map(OidcCeremony::read);
            if (asked.isEmpty()) {
                continue;
            }
            problem = SignInProblem.REFUSED;
            if (isSame(asked.get().state(), request.getParameter("state"))) {
                write(
                        response,
                        secrets.stream().filter(other -> !other.equals(secret)).toList());
                return people.vault()
                        .finish(KIND, secret)
                        .map(OidcCeremony::read)
                        .orElseThrow(() -> new SignInFailedException(SignInProblem.EXPIRED, "answered already"));
            }
        }
        throw new SignInFailedException(
                problem,
                problem == SignInProblem.EXPIRED ? "nothing was asked" : "the answer does not belong to the question");
    }

    /** Returns the secrets of the sign-ins of this browser, newest last. */
    private List<String> secrets(HttpServletRequest request) {
        List<String> all = List.of(cookie.read(request, COOKIE).orElse("").split("\\.", -1));
        List<String> last = all.subList(Math.max(0, all.size() - MAX_TABS), all.size());
        return new ArrayList<>(last.stream().filter(each -> !each.isEmpty()).toList());
    }

    private void write(HttpServletResponse response, List<String> secrets) {
        if (secrets.isEmpty()) {
            cookie.clear(response, COOKIE);
        } else {
            List<String> last = secrets.subList(Math.max(0, secrets.size() - MAX_TABS), secrets.size());
            cookie.write(response, COOKIE, String.join(".", last), PATIENCE);
        }
    }

    /** Returns the reason for a failed sign-in, without words of the server. */
    private String reason(String name, SignInFailedException failure) {
        return (clients.containsKey(name) ? name : "unknown server") + ": "
                + failure.problem().word()
                // This message contains only words of the configuration and masked values.
                + (failure.problem() == SignInProblem.NO_ROLE ? ": " + failure.getMessage() : "");
    }

    private OidcClient client(String name) throws SignInFailedException {
        OidcClient client = clients.get(name);
        if (client == null) {
            throw new SignInFailedException(SignInProblem.REFUSED, "no such server");
        }
        return client;
    }

    /** Returns the code of an answer that belongs to the sign-in. */
    private static String code(OidcClient client, OidcCeremony ceremony, HttpServletRequest request)
            throws SignInFailedException {
        if (!ceremony.server().equals(client.server().name())) {
            throw new SignInFailedException(SignInProblem.REFUSED, "the answer does not belong to the question");
        }
        @Nullable String issuer = request.getParameter("iss");
        if (issuer != null && !issuer.equals(client.server().issuer().toString())) {
            throw new SignInFailedException(SignInProblem.REFUSED, "the answer comes from another issuer");
        }
        @Nullable String code = request.getParameter("code");
        if (code == null || code.isEmpty() || code.length() > LONGEST_CODE || request.getParameter("error") != null) {
            throw new SignInFailedException(SignInProblem.REFUSED, "the server gave no code");
        }
        return code;
    }

    /**
     * Returns the factor with the time at which the person proved their identity to the server. Without that time the factor
     * never counts as fresh, because a single sign-on may be days old.
     */
    private Factor factor(OidcUser user, OidcCeremony ceremony) throws SignInFailedException {
        long now = people.clock().epochMicros() / 1000;
        @Nullable Instant proved = user.getAuthenticatedAt();
        long at = proved == null ? 0 : Math.min(proved.toEpochMilli(), now);
        if (ceremony.isFresh() && now - at > FRESH.toMillis()) {
            throw new SignInFailedException(SignInProblem.NOT_FRESH, "the proof is old, or its time is unknown");
        }
        return new Factor(FactorGrantedAuthority.AUTHORIZATION_CODE_AUTHORITY, at);
    }

    private static ServerPerson person(OidcClient client, OidcUser user) throws SignInFailedException {
        try {
            return OidcPerson.of(client.server(), user);
        } catch (IllegalArgumentException e) {
            throw new SignInFailedException(SignInProblem.REFUSED, String.valueOf(e.getMessage()), e);
        }
    }

    private static boolean isSame(String expected, @Nullable String given) {
        return given != null
                && MessageDigest.isEqual(
                        expected.getBytes(StandardCharsets.UTF_8), given.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns the requested path if it is a path of this center, and otherwise the start page. */
    private static String local(@Nullable String path) {
        return path != null
                        && path.length() <= LONGEST_PATH
                        && path.matches("/([A-Za-z0-9._~-][A-Za-z0-9._~/?&=#%-]*)?")
                ? path
                : "/";
    }

    private String problem(SignInFailedException failure) {
        return address.get().url() + "/sign-in?problem="
                + URLEncoder.encode(failure.problem().word(), StandardCharsets.UTF_8);
    }

    private static void redirect(HttpServletResponse response, String to) {
        response.setStatus(HttpServletResponse.SC_SEE_OTHER);
        response.setHeader(HttpHeaders.LOCATION, to);
    }

    @Override
    public void close() {
        clients.values().forEach(OidcClient::close);
    }
}
