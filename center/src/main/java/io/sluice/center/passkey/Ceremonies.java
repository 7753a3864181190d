package io.sluice.center.passkey;

import io.sluice.center.people.People;
import io.sluice.center.people.Secrets;
import io.sluice.center.people.Session;
import io.sluice.center.signin.SessionCookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;
import java.util.Optional;
import org.springframework.security.web.webauthn.api.Bytes;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Challenges that wait for the answer of an authenticator. Each challenge accepts one answer, from the browser and the session that
 * requested it. Thread-safe.
 */
final class Ceremonies {

    /** The maximum time for an answer. */
    static final Duration LIFE = Duration.ofMinutes(5);

    private static final JsonMapper JSON = JsonMapper.shared();

    private final People people;
    private final SessionCookie cookie;

    Ceremonies(People people, SessionCookie cookie) {
        this.people = people;
        this.cookie = cookie;
    }

    /** The purpose of a challenge. */
    enum Kind {
        ADD,
        USE;

        private String stored() {
            return this == ADD ? "add_passkey" : "use_passkey";
        }

        private String cookie() {
            return "sluice_" + stored();
        }
    }

    /**
     * A challenge.
     *
     * @param account the account of the session that requested it; 0 if the browser was not signed in
     */
    record Pending(Bytes challenge, long account) {}

    /** Returns the account of the session of a request; 0 if the request has no session. */
    long account(HttpServletRequest request) {
        return session(request).map(session -> session.account().id()).orElse(0L);
    }

    void begin(Kind kind, Bytes challenge, HttpServletRequest request, HttpServletResponse response) {
        String body = JSON.createObjectNode()
                .put("challenge", challenge.toBase64UrlString())
                .put("account", account(request))
                .put("session", sessionHash(request))
                .toString();
        cookie.write(response, kind.cookie(), people.vault().begin(kind.stored(), body, LIFE), LIFE);
    }

    /** Returns the challenge that a request answers. The challenge cannot be answered again. */
    Optional<Pending> finish(Kind kind, HttpServletRequest request, HttpServletResponse response) {
        Optional<String> secret = cookie.read(request, kind.cookie());
        if (secret.isEmpty()) {
            return Optional.empty();
        }
        cookie.clear(response, kind.cookie());
        return people.vault()
                .finish(kind.stored(), secret.get())
                .map(JSON::readTree)
                .filter(body -> body.get("session").asString().equals(sessionHash(request)))
                .map(Ceremonies::pending);
    }

    private static Pending pending(JsonNode body) {
        return new Pending(
                Bytes.fromBase64(body.get("challenge").asString()),
                body.get("account").asLong());
    }

    private Optional<Session> session(HttpServletRequest request) {
        return cookie.read(request).flatMap(people.sessions()::find);
    }

    /** Returns a hash of the session of a request. An ended session counts as none. */
    private String sessionHash(HttpServletRequest request) {
        return session(request)
                .map(session -> Secrets.hash(cookie.read(request).orElseThrow()))
                .orElse("");
    }
}
