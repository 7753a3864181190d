package io.sluice.center.web;

import io.sluice.center.http.Problem;
import io.sluice.center.version.ForeignRules;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Refuses every change while the rules come from another place. Nodes may still report. */
final class ReadOnlyFilter extends HttpFilter {

    private static final long serialVersionUID = 1;
    private static final Set<String> READING = Set.of("GET", "HEAD", "OPTIONS");

    /** People sign in and are managed here, regardless of the origin of the rules. */
    private static final Pattern PEOPLE = Pattern.compile("/api/(session|set-up|me|users|tokens)(/.*)?");

    /** Queries that need a body. They change nothing. */
    private static final Set<String> QUESTIONS = Set.of("/api/changes/check", "/api/changes/dry-run", "/api/explain");

    private static final Pattern NODES = Pattern.compile("/api/(nodes/[^/]+/(heartbeat|excerpts/[^/]+)|durable/.+)");

    private final transient Optional<ForeignRules> rules;

    ReadOnlyFilter(Optional<ForeignRules> rules) {
        this.rules = rules;
    }

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (rules.isEmpty()
                || READING.contains(request.getMethod())
                || QUESTIONS.contains(request.getRequestURI())
                || NODES.matcher(request.getRequestURI()).matches()
                || PEOPLE.matcher(request.getRequestURI()).matches()) {
            chain.doFilter(request, response);
            return;
        }
        Problem.write(
                response,
                HttpServletResponse.SC_CONFLICT,
                "Read-only",
                "the rules come from " + rules.get().name() + ", so this center only shows them (expected: a change of"
                        + " that file; start without --rules to change rules here)");
    }
}
