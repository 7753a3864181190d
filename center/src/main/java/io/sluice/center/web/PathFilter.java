package io.sluice.center.web;

import io.sluice.center.http.Problem;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.regex.Pattern;

/** Refuses paths with broken percent signs, which would make the routing fail. */
final class PathFilter extends HttpFilter {

    private static final long serialVersionUID = 1;
    private static final Pattern BROKEN = Pattern.compile("%(?![0-9a-fA-F]{2})");

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (BROKEN.matcher(request.getRequestURI()).find()) {
            Problem.write(
                    response,
                    HttpServletResponse.SC_BAD_REQUEST,
                    "Bad Request",
                    "path: a percent sign without two hexadecimal digits (expected: such as %20)");
            return;
        }
        chain.doFilter(request, response);
    }
}
