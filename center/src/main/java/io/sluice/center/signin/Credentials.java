package io.sluice.center.signin;

import io.sluice.center.access.Access;
import io.sluice.center.http.CurrentAccess;
import io.sluice.center.people.Session;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;

/**
 * Identifies the caller of a request by its token or the cookie of its session. It reads the database each time, so a revocation takes
 * effect immediately. A request with a token never counts as a request with a session.
 */
final class Credentials {

    private static final String BEARER = "bearer ";

    private final SignInParts parts;
    private final SessionCookie cookie;

    Credentials(SignInParts parts, SessionCookie cookie) {
        this.parts = parts;
        this.cookie = cookie;
    }

    /** Identifies the caller of a request, and attaches the caller to the request. */
    Optional<SignedIn> attach(HttpServletRequest request) {
        @Nullable String header = request.getHeader("Authorization");
        Optional<SignedIn> found = find(request, header);
        found.ifPresent(signedIn -> {
            Optional<String> session = signedIn.session();
            String address = request.getRemoteAddr();
            Supplier<Optional<Access>> again = () -> (header == null
                    ? again(session, address)
                    : byToken(header, address).map(SignedIn::access));
            request.setAttribute(CurrentAccess.AGAIN, again);
            SecurityContext context = SecurityContextHolder.createEmptyContext();
            context.setAuthentication(signedIn);
            SecurityContextHolder.setContext(context);
        });
        return found;
    }

    private Optional<SignedIn> find(HttpServletRequest request, @Nullable String header) {
        String address = request.getRemoteAddr();
        return header == null ? bySession(cookie.read(request), address) : byToken(header, address);
    }

    private Optional<SignedIn> byToken(String header, String address) {
        Optional<Access> access =
                token(header).flatMap(token -> parts.adminToken().access(token).or(() -> byOwned(token)));
        return access.map(allowed -> new SignedIn(allowed.at(address), List.of(), Optional.empty()));
    }

    /** Returns the rights of a token with an owner. The identity server of the owner is asked first if its last answer is old. */
    private Optional<Access> byOwned(String token) {
        Optional<Access> access = parts.people().tokens().access(token);
        return access.isPresent() && parts.confirmer().confirm(access.get().account())
                ? parts.people().tokens().access(token)
                : access;
    }

    /** Returns the token in a header. */
    static Optional<String> token(String header) {
        return header.regionMatches(true, 0, BEARER, 0, BEARER.length())
                ? Optional.of(header.substring(BEARER.length()).strip())
                : Optional.empty();
    }

    private Optional<Access> again(Optional<String> session, String address) {
        return session.flatMap(parts.people().sessions()::look)
                .map(found -> found.account().access().at(address));
    }

    private Optional<SignedIn> bySession(Optional<String> id, String address) {
        Optional<Session> session = id.flatMap(parts.people().sessions()::find);
        return session.map(found -> new SignedIn(found.account().access().at(address), found.factors(), id));
    }
}
