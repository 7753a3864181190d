package io.sluice.center.signin;

import io.sluice.center.database.Database;
import io.sluice.center.http.Problem;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** Identifies the caller of a request before authorization. */
final class CredentialFilter extends HttpFilter {

    private static final long serialVersionUID = 1;

    private final transient Credentials credentials;

    CredentialFilter(Credentials credentials) {
        this.credentials = credentials;
    }

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        try {
            var unused = credentials.attach(request);
        } catch (RuntimeException e) {
            requireUnavailable(e, response);
            return;
        }
        chain.doFilter(request, response);
    }

    /** Answers that the database is unavailable, if that is the cause of the failure. Otherwise throws the failure. */
    static void requireUnavailable(RuntimeException failure, HttpServletResponse response) throws IOException {
        if (!Database.isUnavailable(failure)) {
            throw failure;
        }
        Problem.write(
                response,
                HttpServletResponse.SC_SERVICE_UNAVAILABLE,
                "Service Unavailable",
                "the database is unavailable; nothing was changed, nodes keep their rules, try again");
    }
}
