package io.sluice.center.web;

import io.sluice.center.command.Actor;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Optional;

/** Lets requests with a valid token pass and attaches the actor to them. What a request says about its author is ignored. */
final class AccessFilter extends HttpFilter {

    /** The attribute of a request that holds its actor. */
    static final String ACTOR = "io.sluice.center.actor";

    /** The one path below {@code /api} that needs no token. */
    static final String OPEN_API = "/api/openapi.json";

    private static final long serialVersionUID = 1;
    private static final String BEARER = "bearer ";

    private final transient AdminToken token;

    AccessFilter(AdminToken token) {
        this.token = token;
    }

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        response.setHeader("X-Content-Type-Options", "nosniff");
        response.setHeader("Cache-Control", "no-store");
        if (OPEN_API.equals(request.getRequestURI())) {
            chain.doFilter(request, response);
            return;
        }
        Optional<Actor> actor = bearer(request).flatMap(token::actor);
        if (actor.isEmpty()) {
            response.setHeader("WWW-Authenticate", "Bearer realm=\"sluice\"");
            Problems.write(
                    response,
                    HttpServletResponse.SC_UNAUTHORIZED,
                    "Not signed in",
                    "Authorization: missing or not valid (expected: Bearer and a token)");
            return;
        }
        request.setAttribute(ACTOR, actor.get());
        chain.doFilter(request, response);
    }

    private static Optional<String> bearer(HttpServletRequest request) {
        String header = request.getHeader("Authorization");
        return header != null && header.regionMatches(true, 0, BEARER, 0, BEARER.length())
                ? Optional.of(header.substring(BEARER.length()).strip())
                : Optional.empty();
    }
}
