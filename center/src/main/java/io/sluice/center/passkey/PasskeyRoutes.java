package io.sluice.center.passkey;

import io.sluice.center.access.Access;
import io.sluice.center.database.Database;
import io.sluice.center.http.CurrentAccess;
import io.sluice.center.http.RequestBody;
import io.sluice.center.passkey.Ceremonies.Kind;
import io.sluice.center.passkey.Ceremonies.Pending;
import io.sluice.center.passkey.RelyingParty.Options;
import io.sluice.center.people.Account;
import io.sluice.center.people.Confirmer;
import io.sluice.center.people.People;
import io.sluice.center.refusal.RefusedException;
import io.sluice.center.signin.RefusedRequests;
import io.sluice.center.signin.SessionCookie;
import io.sluice.center.signin.SessionCsrf;
import io.sluice.center.signin.SessionStart;
import io.sluice.center.signin.SignInThrottle;
import io.sluice.center.signin.TooManyAttemptsException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.security.core.authority.FactorGrantedAuthority;
import org.springframework.security.web.webauthn.api.AuthenticatorAssertionResponse;
import org.springframework.security.web.webauthn.api.PublicKeyCredential;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.JsonNode;

/** The routes for registering, removing and using passkeys. */
@RestController
public final class PasskeyRoutes {

    private static final Logger LOG = LoggerFactory.getLogger(PasskeyRoutes.class);
    private static final int LONGEST_LABEL = 100;
    private static final String WAY = "passkey";

    private final People people;
    private final PasskeyStore store;
    private final RelyingParty party;
    private final Ceremonies ceremonies;
    private final SessionCookie cookie;
    private final SessionStart start;
    private final SignInThrottle throttle;
    private final RefusedRequests refused;
    private final Confirmer confirmer;

    PasskeyRoutes(
            People people,
            PasskeyStore store,
            RelyingParty party,
            Ceremonies ceremonies,
            SessionCookie cookie,
            SessionStart start,
            SignInThrottle throttle,
            RefusedRequests refused,
            Confirmer confirmer) {
        this.people = people;
        this.store = store;
        this.party = party;
        this.ceremonies = ceremonies;
        this.cookie = cookie;
        this.start = start;
        this.throttle = throttle;
        this.refused = refused;
        this.confirmer = confirmer;
    }

    /** The answer to a sign-in. */
    public record PasskeySession(boolean signedIn, String user, String csrf) {}

    @GetMapping("/api/me/passkeys")
    List<PasskeyReply> passkeys(@RequestAttribute(CurrentAccess.ACCESS) Access access) {
        Optional<Instant> restsAt = restsAt(access);
        return store.of(access.account()).stream()
                .map(passkey -> PasskeyReply.of(passkey, restsAt))
                .toList();
    }

    @PostMapping(path = "/api/me/passkeys/options", produces = MediaType.APPLICATION_JSON_VALUE)
    byte[] creationOptions(
            @RequestAttribute(CurrentAccess.ACCESS) Access access,
            HttpServletRequest request,
            HttpServletResponse response) {
        PasskeyStore.requireRoom(store.of(access.account()).size());
        Options options = party.creation(account(access.account()));
        ceremonies.begin(Kind.ADD, options.challenge(), request, response);
        return options.json().getBytes(StandardCharsets.UTF_8);
    }

    @PostMapping("/api/me/passkeys")
    @ResponseStatus(HttpStatus.CREATED)
    PasskeyReply add(
            @RequestAttribute(CurrentAccess.ACCESS) Access access,
            HttpServletRequest request,
            HttpServletResponse response) {
        JsonNode body = RequestBody.object(request, Set.of("label", "credential"));
        String label = label(RequestBody.string(body, "label", ""));
        var credential = RelyingParty.attestation(body.path("credential"));
        Pending pending = ceremonies
                .finish(Kind.ADD, request, response)
                .filter(found -> found.account() == access.account())
                .orElseThrow(() -> RefusedException.conflict(
                        "passkey: no options are waiting for this answer (expected: options of this session that are"
                                + " at most " + Ceremonies.LIFE.toMinutes() + " minutes old; begin again)"));
        try {
            return PasskeyReply.of(
                    party.register(account(access.account()), pending.challenge(), credential, label), restsAt(access));
        } catch (RefusedException e) {
            throw e;
        } catch (RuntimeException e) {
            rethrowIfUnavailable(e);
            LOG.debug("a passkey was refused", e);
            throw RefusedException.invalid("credential: not accepted (expected: a new passkey of this device for this"
                    + " site, with its user verified)");
        }
    }

    @DeleteMapping("/api/me/passkeys/{id}")
    PasskeyReply remove(
            @PathVariable("id") long id,
            @RequestAttribute(CurrentAccess.ACCESS) Access access,
            HttpServletRequest request) {
        return PasskeyReply.of(
                store.remove(access.account(), id, cookie.read(request).orElse("")), restsAt(access));
    }

    @PostMapping(path = "/api/session/passkey/options", produces = MediaType.APPLICATION_JSON_VALUE)
    byte[] requestOptions(HttpServletRequest request, HttpServletResponse response) {
        boolean unused = admitted(request, () -> {
            throttle.admitBeginning(request);
            return true;
        });
        long account = ceremonies.account(request);
        Options options = party.request(account == 0 ? Optional.empty() : Optional.of(account(account)));
        ceremonies.begin(Kind.USE, options.challenge(), request, response);
        return options.json().getBytes(StandardCharsets.UTF_8);
    }

    /** Signs in, or adds a factor to the session of the same account. */
    @PostMapping("/api/session/passkey")
    ResponseEntity<Object> signIn(HttpServletRequest request, HttpServletResponse response) {
        JsonNode body = RequestBody.object(request, Set.of("credential"));
        PublicKeyCredential<AuthenticatorAssertionResponse> credential =
                RelyingParty.assertion(body.path("credential"));
        SignInThrottle.Attempt attempt = admitted(request, () -> throttle.admit(request, ""));
        Optional<Pending> pending = ceremonies.finish(Kind.USE, request, response);
        if (pending.isEmpty()) {
            return refused(
                    request,
                    Optional.empty(),
                    "passkey: no options are waiting for this answer (expected: options of this session that"
                            + " are at most " + Ceremonies.LIFE.toMinutes() + " minutes old; begin again)");
        }
        long only = pending.get().account();
        Optional<Passkey> known = store.known(credential.getRawId());
        // The identity server of the owner is asked first if its last answer is old.
        known.ifPresent(found -> {
            boolean unused = confirmer.confirm(found.account());
        });
        Optional<Passkey> passkey = store.find(credential.getRawId());
        if (known.isPresent() && passkey.isEmpty() && only == 0) {
            return refused(
                    request,
                    known,
                    "passkey: cannot be used: "
                            + store.problem(known.get()).orElse("its account has changed")
                            + " (expected: a passkey of an account that can be used)");
        }
        if (passkey.isEmpty() || (only != 0 && passkey.get().account() != only)) {
            return refused(
                    request,
                    passkey,
                    only == 0
                            ? "passkey: not known here (expected: one that was added on your account page)"
                            : "passkey: not one of the signed-in account (expected: one of its own; sign out to use another"
                                    + " account)");
        }
        Account account;
        try {
            account = party.authenticate(passkey.get(), pending.get().challenge(), credential);
        } catch (RuntimeException e) {
            rethrowIfUnavailable(e);
            LOG.debug("a passkey was refused", e);
            return refused(
                    request,
                    passkey,
                    "passkey: not accepted (expected: an answer of its device to the newest options)");
        }
        attempt.succeeded();
        String session = start.begin(request, response, account, FactorGrantedAuthority.WEBAUTHN_AUTHORITY);
        return ResponseEntity.ok(new PasskeySession(true, account.name(), SessionCsrf.of(session)));
    }

    /**
     * Returns the time at which the passkeys of an account are suspended unless its owner signs in through the identity server before;
     * empty if no such sign-in is needed.
     */
    private Optional<Instant> restsAt(Access access) {
        return people.restsAt(access.account(), confirmer);
    }

    private Account account(long id) {
        return people.database()
                .read(client -> people.accounts().find(client, id))
                .orElseThrow();
    }

    private static String label(String label) {
        String text = label.strip();
        if (text.length() > LONGEST_LABEL || text.chars().anyMatch(Character::isISOControl)) {
            throw RefusedException.invalid(
                    "label: not usable (expected: at most " + LONGEST_LABEL + " printable characters)");
        }
        return text.isEmpty() ? "Passkey" : text;
    }

    private <T> T admitted(HttpServletRequest request, Supplier<T> admission) {
        try {
            return admission.get();
        } catch (TooManyAttemptsException e) {
            refused.signIn(request, WAY, "too many attempts", Optional::empty);
            throw e;
        }
    }

    private ResponseEntity<Object> refused(HttpServletRequest request, Optional<Passkey> passkey, String detail) {
        refused.signIn(
                request,
                WAY,
                detail.substring(0, detail.indexOf(" (expected")),
                () -> passkey.flatMap(found ->
                        people.database().read(client -> people.accounts().find(client, found.account()))));
        ProblemDetail problem = ProblemDetail.forStatusAndDetail(HttpStatus.UNAUTHORIZED, detail);
        return ResponseEntity.status(HttpStatus.UNAUTHORIZED)
                .contentType(MediaType.APPLICATION_PROBLEM_JSON)
                .body(problem);
    }

    private static void rethrowIfUnavailable(RuntimeException failure) {
        if (Database.isUnavailable(failure)) {
            throw failure;
        }
    }
}
