package io.sluice.center.signin;

import io.sluice.center.access.Endpoint;
import io.sluice.center.http.BodyReader;
import io.sluice.center.http.CurrentAccess;
import io.sluice.center.http.Problem;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Optional;
import org.springframework.security.authentication.InsufficientAuthenticationException;
import org.springframework.security.authorization.AuthorizationDecision;
import org.springframework.security.authorization.AuthorizationDeniedException;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.web.access.intercept.RequestAuthorizationContext;

/**
 * Reads the body of an admitted request, up to the maximum size of its endpoint. A signed-in caller who sent a body is looked up again
 * after its last byte, so that no request acts with rights that ended during the transfer.
 */
final class BodyFilter extends HttpFilter {

    private static final long serialVersionUID = 1;

    private final transient Credentials credentials;
    private final transient TableAuthorization table;
    private final transient BodyReader bodies;

    BodyFilter(Credentials credentials, TableAuthorization table, BodyReader bodies) {
        this.credentials = credentials;
        this.table = table;
        this.bodies = bodies;
    }

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (OriginFilter.READING.contains(request.getMethod())) {
            chain.doFilter(request, response);
            return;
        }
        // The table has admitted the request, so the request has an endpoint.
        Endpoint endpoint = TableAuthorization.endpoint(request).orElseThrow();
        try (BodyReader.Body body = bodies.read(request, endpoint.maxBody(), endpoint.isOpen())) {
            request.setAttribute(CurrentAccess.BODY, body.bytes());
            if (body.bytes().length > 0 && isSignedIn()) {
                try {
                    lookAgain(request, endpoint);
                } catch (RuntimeException e) {
                    if (isRefusal(e)) {
                        throw e;
                    }
                    CredentialFilter.requireUnavailable(e, response);
                    return;
                }
            }
            chain.doFilter(request, response);
        } catch (BodyReader.RefusedBodyException e) {
            response.setHeader("Connection", "close");
            Problem.write(response, e.status(), "The body was refused", String.valueOf(e.getMessage()));
        }
    }

    private static boolean isSignedIn() {
        return SecurityContextHolder.getContext().getAuthentication() instanceof SignedIn;
    }

    private static boolean isRefusal(RuntimeException failure) {
        return failure instanceof AuthorizationDeniedException
                || failure instanceof InsufficientAuthenticationException;
    }

    private void lookAgain(HttpServletRequest request, Endpoint endpoint) {
        Optional<SignedIn> found = credentials.attach(request);
        if (found.isEmpty()) {
            SecurityContextHolder.clearContext();
            if (!endpoint.isOpen()) {
                throw new InsufficientAuthenticationException("the credential ended");
            }
            return;
        }
        AuthorizationDecision decision = table.authorize(found::get, new RequestAuthorizationContext(request));
        if (!decision.isGranted()) {
            throw new AuthorizationDeniedException("Access Denied", decision);
        }
    }
}
