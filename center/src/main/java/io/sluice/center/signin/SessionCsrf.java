package io.sluice.center.signin;

import io.sluice.center.people.Secrets;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.security.web.csrf.CsrfTokenRepository;
import org.springframework.security.web.csrf.DefaultCsrfToken;

/**
 * The token that proves that a request comes from a page of the center. It is derived from the id of the session, so it needs no storage,
 * ends with the session, and differs from the tokens of all other sessions.
 */
public final class SessionCsrf implements CsrfTokenRepository {

    /** The header that contains the token. */
    public static final String HEADER = "X-CSRF-Token";

    private static final String NO_SESSION = "none";

    private final SessionCookie cookie;

    SessionCsrf(SessionCookie cookie) {
        this.cookie = cookie;
    }

    /** Returns the token of a session. */
    public static String of(String session) {
        return Secrets.hash("csrf:" + session);
    }

    @Override
    public CsrfToken generateToken(HttpServletRequest request) {
        return new DefaultCsrfToken(HEADER, "_csrf", of(cookie.read(request).orElse(NO_SESSION)));
    }

    @Override
    public void saveToken(@Nullable CsrfToken token, HttpServletRequest request, HttpServletResponse response) {
        // The token is derived from the session, so nothing is stored.
    }

    @Override
    public CsrfToken loadToken(HttpServletRequest request) {
        return generateToken(request);
    }
}
