package io.sluice.center.signin;

import io.sluice.center.http.Problem;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Refuses changes that a page of another site sends from the browser of a person who is signed in here, or is about to sign in. Requests
 * with a token do not come from a browser.
 */
final class OriginFilter extends HttpFilter {

    static final Set<String> READING = Set.of("GET", "HEAD", "OPTIONS");

    private static final long serialVersionUID = 1;
    private static final Set<String> SAME_SITE = Set.of("same-origin", "none");

    /** The paths to which identity servers send forms. The content of such a form proves that it comes from the identity server. */
    private static final Pattern LOGOUT = Pattern.compile("/sign-in/oidc/[a-z0-9-]+/logout");

    private static final Pattern FORM =
            Pattern.compile("\\s*(text/plain|application/x-www-form-urlencoded|multipart/)", Pattern.CASE_INSENSITIVE);

    private final transient Supplier<PublicAddress> address;
    private final transient RefusedRequests refused;

    OriginFilter(Supplier<PublicAddress> address, RefusedRequests refused) {
        this.address = address;
        this.refused = refused;
    }

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        boolean isBrowser = !READING.contains(request.getMethod())
                && request.getHeader("Authorization") == null
                && !LOGOUT.matcher(request.getRequestURI()).matches();
        if (isBrowser && isForeign(request)) {
            refused.forbidden(request, "the request comes from another site");
            refuse(
                    response,
                    "the request comes from another site (expected: a page of "
                            + address.get().origin() + ")");
            return;
        }
        if (isBrowser && isForm(request)) {
            refused.forbidden(request, "the request has the content type of a form");
            refuse(response, "Content-Type: that of a form (expected: application/json)");
            return;
        }
        chain.doFilter(request, response);
    }

    private static void refuse(HttpServletResponse response, String detail) throws IOException {
        Problem.write(response, HttpServletResponse.SC_FORBIDDEN, "Forbidden", detail);
    }

    /** Returns whether the content type is one that any page may send to any site without asking. */
    private static boolean isForm(HttpServletRequest request) {
        @Nullable String type = request.getContentType();
        return type != null && FORM.matcher(type).lookingAt();
    }

    private boolean isForeign(HttpServletRequest request) {
        @Nullable String origin = request.getHeader("Origin");
        @Nullable String site = request.getHeader("Sec-Fetch-Site");
        return (origin != null && !address.get().accepts(origin)) || (site != null && !SAME_SITE.contains(site));
    }
}
