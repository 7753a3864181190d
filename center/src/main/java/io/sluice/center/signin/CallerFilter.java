package io.sluice.center.signin;

import io.sluice.center.http.CurrentAccess;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.security.core.context.SecurityContextHolder;

/** Attaches the authenticated caller to a request. Statements of the request about its author are ignored. */
final class CallerFilter extends HttpFilter {

    private static final long serialVersionUID = 1;

    private final transient TableAuthorization table;

    CallerFilter(TableAuthorization table) {
        this.table = table;
    }

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (SecurityContextHolder.getContext().getAuthentication() instanceof SignedIn signedIn) {
            request.setAttribute(CurrentAccess.ACCESS, signedIn.access());
            request.setAttribute(CurrentAccess.ACTOR, signedIn.access().actor());
            request.setAttribute(CurrentAccess.FRESH, table.isFresh(signedIn));
        }
        chain.doFilter(request, response);
    }
}
