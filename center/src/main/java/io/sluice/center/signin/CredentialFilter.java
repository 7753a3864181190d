package io.sluice.center.signin;

import io.sluice.center.access.Access;
import io.sluice.center.http.BodyReader;
import io.sluice.center.http.CurrentAccess;
import io.sluice.center.http.Problem;
import io.sluice.center.people.Session;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;

/**
 * Finds out who sent a request, from its token or the cookie of its session. It looks into the database each time, so what was
 * revoked is revoked at once. A request with a token is never taken for one with a session.
 *
 * <p>The body is read before, and a caller who sent one is looked up once more after its last byte. So nobody acts with rights that
 * ended while the body was on its way.
 */
final class CredentialFilter extends HttpFilter {

    private static final long serialVersionUID = 1;
    private static final String BEARER = "bearer ";

    private final transient SignInParts parts;
    private final transient SessionCookie cookie;
    private final transient BodyReader bodies;

    CredentialFilter(SignInParts parts, SessionCookie cookie) {
        this.parts = parts;
        this.cookie = cookie;
        this.bodies = new BodyReader(parts.clock()::nanoTime);
    }

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        String header = request.getHeader("Authorization");
        Optional<SignedIn> found;
        try {
            found = find(request, header);
            if (!OriginFilter.READING.contains(request.getMethod())) {
                byte[] body = bodies.read(request, found.isEmpty());
                request.setAttribute(CurrentAccess.BODY, body);
                found = body.length == 0 || found.isEmpty() ? found : find(request, header);
            }
        } catch (BodyReader.RefusedBodyException e) {
            response.setHeader("Connection", "close");
            Problem.write(response, e.status(), "The body was refused", String.valueOf(e.getMessage()));
            return;
        } catch (RuntimeException e) {
            if (!io.sluice.center.database.Database.isUnavailable(e)) {
                throw e;
            }
            Problem.write(
                    response,
                    HttpServletResponse.SC_SERVICE_UNAVAILABLE,
                    "Service Unavailable",
                    "the database is unavailable; nothing was changed, nodes keep their rules, try again");
            return;
        }
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
        chain.doFilter(request, response);
    }

    private Optional<SignedIn> find(HttpServletRequest request, @Nullable String header) {
        String address = request.getRemoteAddr();
        return header == null ? bySession(cookie.read(request), address) : byToken(header, address);
    }

    private Optional<SignedIn> byToken(String header, String address) {
        Optional<Access> access = token(header).flatMap(token -> parts.adminToken()
                .access(token)
                .or(() -> parts.people().tokens().access(token)));
        return access.map(allowed -> new SignedIn(allowed.at(address), List.of(), Optional.empty()));
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
