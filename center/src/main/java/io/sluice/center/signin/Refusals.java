package io.sluice.center.signin;

import io.sluice.center.http.Problem;
import io.sluice.center.signin.TableAuthorization.Refusal;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.authorization.AuthorizationDeniedException;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.web.AuthenticationEntryPoint;
import org.springframework.security.web.access.AccessDeniedHandler;
import org.springframework.security.web.csrf.CsrfException;

/** Answers requests that security refuses, in the same form as all other problems. */
final class Refusals implements AuthenticationEntryPoint, AccessDeniedHandler {

    private final RefusedRequests refused;

    Refusals(RefusedRequests refused) {
        this.refused = refused;
    }

    @Override
    public void commence(HttpServletRequest request, HttpServletResponse response, AuthenticationException failure)
            throws IOException {
        if (refused.hasCredential(request)) {
            refused.unauthorized(request);
        }
        response.setHeader("WWW-Authenticate", "Bearer realm=\"sluice\"");
        Problem.write(
                response,
                HttpServletResponse.SC_UNAUTHORIZED,
                "Not signed in",
                "Authorization: missing or not valid (expected: a session, or Bearer and a token)");
    }

    @Override
    public void handle(HttpServletRequest request, HttpServletResponse response, AccessDeniedException denied)
            throws IOException {
        if (denied instanceof CsrfException) {
            refused.forbidden(request, "the CSRF token is missing or not that of the session");
            Problem.write(
                    response,
                    HttpServletResponse.SC_FORBIDDEN,
                    "Forbidden",
                    SessionCsrf.HEADER + ": missing or not that of the session (expected: the csrf that"
                            + " GET /api/session returns)");
            return;
        }
        Refusal.Why why = denied instanceof AuthorizationDeniedException table
                        && table.getAuthorizationResult() instanceof Refusal refusal
                ? refusal.why()
                : Refusal.Why.NO_RIGHT;
        switch (why) {
            case UNKNOWN_PATH -> Problem.write(response, HttpServletResponse.SC_NOT_FOUND, "Not Found", "unknown path");
            case UNKNOWN_METHOD -> unknownMethod(request, response);
            case NOT_FRESH -> {
                refused.forbidden(request, "no fresh factor");
                Problem.write(
                        response,
                        HttpServletResponse.SC_FORBIDDEN,
                        "Fresh factor needed",
                        "this needs a password, passkey or sign-in that is at most "
                                + TableAuthorization.FRESH.toMinutes() + " minutes old; present it again and repeat");
            }
            default -> {
                refused.forbidden(request, "the role or token does not allow it");
                Problem.write(
                        response,
                        HttpServletResponse.SC_FORBIDDEN,
                        "Forbidden",
                        "your role or token does not allow this");
            }
        }
    }

    /** Answers a request with a wrong method. A browser that sends such a request was probably made to do so by another page. */
    private void unknownMethod(HttpServletRequest request, HttpServletResponse response) throws IOException {
        boolean isProgram = request.getHeader("Authorization") != null;
        if (!isProgram) {
            refused.forbidden(request, "the method is not supported");
        }
        Problem.write(
                response,
                isProgram ? HttpServletResponse.SC_METHOD_NOT_ALLOWED : HttpServletResponse.SC_FORBIDDEN,
                isProgram ? "Method Not Allowed" : "Forbidden",
                "Method '" + request.getMethod().replaceAll("[^A-Z]", "?") + "' is not supported.");
    }
}
