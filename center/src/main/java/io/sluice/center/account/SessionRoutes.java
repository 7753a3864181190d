package io.sluice.center.account;

import io.sluice.center.command.Command;
import io.sluice.center.http.RequestBody;
import io.sluice.center.people.Account;
import io.sluice.center.people.People;
import io.sluice.center.people.Session;
import io.sluice.center.refusal.RefusedException;
import io.sluice.center.signin.PasswordSignIn;
import io.sluice.center.signin.RefusedRequests;
import io.sluice.center.signin.SessionCookie;
import io.sluice.center.signin.SessionStart;
import io.sluice.center.signin.SignInParts;
import io.sluice.center.signin.SignInRefusedException;
import io.sluice.center.signin.SignInServer;
import io.sluice.center.signin.SignInServers;
import io.sluice.center.signin.SignInThrottle;
import io.sluice.center.signin.SignedIn;
import io.sluice.center.signin.TooManyAttemptsException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.springframework.security.core.authority.FactorGrantedAuthority;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.JsonNode;

/** The routes for signing in with a password, signing out, and one-time links. */
@RestController
public final class SessionRoutes {

    private final People people;
    private final PasswordSignIn passwords;
    private final SignInThrottle throttle;
    private final SessionStart start;
    private final SessionCookie cookie;
    private final RefusedRequests refused;
    private final SetUp setUp;
    private final List<SignInServer> servers;

    SessionRoutes(
            SignInParts parts,
            PasswordSignIn passwords,
            SignInThrottle throttle,
            SessionStart start,
            SessionCookie cookie,
            RefusedRequests refused,
            SignInServers servers) {
        this.people = parts.people();
        this.passwords = passwords;
        this.throttle = throttle;
        this.start = start;
        this.cookie = cookie;
        this.refused = refused;
        this.setUp = new SetUp(parts.people(), parts.passwords());
        this.servers = servers.list();
    }

    /**
     * Returns the session. The cookie of an ended session is removed, because requests with that cookie need a CSRF token that no page has.
     */
    @GetMapping("/api/session")
    SessionReply session(HttpServletRequest request, HttpServletResponse response) {
        Optional<String> id = cookie.read(request);
        Optional<Session> session = id.flatMap(people.sessions()::find);
        if (id.isPresent() && session.isEmpty()) {
            cookie.clear(response);
        }
        return session.map(found -> SessionReply.of(found.account(), id.orElseThrow(), servers))
                .orElseGet(() -> SessionReply.nobody(servers));
    }

    @PostMapping("/api/session")
    SessionReply signIn(HttpServletRequest request, HttpServletResponse response) {
        JsonNode body = RequestBody.object(request, Set.of("user", "password"));
        Account account = passwords.signIn(
                request, RequestBody.string(body, "user", ""), RequestBody.string(body, "password", ""));
        return begin(request, response, account);
    }

    @DeleteMapping("/api/session")
    SessionReply signOut(HttpServletRequest request, HttpServletResponse response) {
        SignedIn signedIn = signedIn();
        long unused = people.database().write(client -> {
            people.sessions().end(client, signedIn.session().orElseThrow());
            return people.log()
                    .add(
                            client,
                            signedIn.access().actor(),
                            new Command.Act(
                                    "sign_out",
                                    "",
                                    Map.of("account", signedIn.access().account())));
        });
        cookie.clear(response);
        return SessionReply.nobody(servers);
    }

    /** Presents the password again. The session continues under another id. */
    @PostMapping("/api/session/factor")
    SessionReply stepUp(HttpServletRequest request, HttpServletResponse response) {
        JsonNode body = RequestBody.object(request, Set.of("password"));
        long id = signedIn().access().account();
        Account own = people.database()
                .read(client -> people.accounts().find(client, id))
                .orElseThrow(SignInRefusedException::new);
        passwords.confirm(request, own, RequestBody.string(body, "password", ""));
        Account now = people.database()
                .read(client -> people.accounts().find(client, id))
                .orElseThrow(SignInRefusedException::new);
        return begin(request, response, now);
    }

    @PostMapping("/api/set-up/look")
    SetUpReply look(HttpServletRequest request) {
        JsonNode body = RequestBody.object(request, Set.of("link"));
        String secret = secret(body);
        Optional<Account> account = withLink(request, () -> setUp.look(secret));
        return new SetUpReply(account.map(Account::name).orElse(null));
    }

    @PostMapping("/api/set-up")
    SessionReply setUp(HttpServletRequest request, HttpServletResponse response) {
        JsonNode body = RequestBody.object(request, Set.of("link", "user", "email", "password"));
        SetUp.Wish wish = new SetUp.Wish(
                secret(body),
                RequestBody.string(body, "user", ""),
                RequestBody.string(body, "email", ""),
                RequestBody.string(body, "password", ""));
        Account account = withLink(request, () -> setUp.use(wish, request.getRemoteAddr()));
        return begin(request, response, account);
    }

    /** Runs a task with a link. An invalid link counts as a refused sign-in. */
    private <T> T withLink(HttpServletRequest request, Supplier<T> task) {
        try {
            SignInThrottle.Attempt attempt = throttle.admit(request, "");
            T result = task.get();
            attempt.succeeded();
            return result;
        } catch (TooManyAttemptsException e) {
            refused.signIn(request, "link", "too many attempts", Optional::empty);
            throw e;
        } catch (RefusedException e) {
            if (e.why() == RefusedException.Why.MISSING) {
                refused.signIn(request, "link", "the link is unknown, used or too old", Optional::empty);
            }
            throw e;
        }
    }

    private SessionReply begin(HttpServletRequest request, HttpServletResponse response, Account account) {
        String id = start.begin(request, response, account, FactorGrantedAuthority.PASSWORD_AUTHORITY);
        return SessionReply.of(account, id, servers);
    }

    /** Returns the secret of a link, which may be given as the whole address. */
    private static String secret(JsonNode body) {
        String link = RequestBody.string(body, "link", "");
        return link.substring(link.lastIndexOf('#') + 1);
    }

    /** Returns the authentication of a request that only a person can send. */
    static SignedIn signedIn() {
        if (SecurityContextHolder.getContext().getAuthentication() instanceof SignedIn signedIn) {
            return signedIn;
        }
        throw new SignInRefusedException();
    }
}
