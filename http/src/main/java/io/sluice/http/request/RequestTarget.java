package io.sluice.http.request;

import io.sluice.rules.pattern.PathForm;
import io.sluice.rules.pattern.PathRefusedException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The target of a request line, in the reading that all later steps use. Immutable.
 *
 * <p>{@code java.net.URI} refuses characters that clients send and servers accept, such as <code>|</code> and <code>{</code>.
 *
 * @param authority the authority of a target in absolute form, as it was sent; null for other forms
 * @param text the path and query, beginning with a slash; or {@code *}
 */
public record RequestTarget(@Nullable String authority, String text) {

    private static final String SERVER = "*";

    /**
     * Reads a target as it was sent.
     *
     * @throws RefusedRequestException if servers could read it differently
     */
    public static RequestTarget read(String method, String uri) throws RefusedRequestException {
        int start = uri.startsWith("/") ? -1 : schemeEnd(uri);
        if (start < 0) {
            return new RequestTarget(null, checked(method, uri));
        }
        int end = start;
        while (end < uri.length() && "/?#".indexOf(uri.charAt(end)) < 0) {
            end++;
        }
        return new RequestTarget(uri.substring(start, end), checked(method, withPath(method, uri.substring(end))));
    }

    /**
     * Adds the path that an absolute form may omit: the root, also before a query (RFC 9112, section 3.2.1), or {@code *} if {@code
     * OPTIONS} asks about the whole server (section 3.2.4).
     */
    private static String withPath(String method, String rest) {
        if (rest.isEmpty() && method.equals("OPTIONS")) {
            return SERVER;
        }
        return rest.isEmpty() || rest.startsWith("?") ? "/" + rest : rest;
    }

    /** Reads a target like {@link #read}, but does not accept the absolute form. */
    public static RequestTarget ofPath(String method, String uri) throws RefusedRequestException {
        return new RequestTarget(null, checked(method, uri));
    }

    /**
     * Returns the path in its canonical form, or the root for {@code *}, which is the whole server.
     *
     * @throws RefusedRequestException if it has no canonical form
     */
    public String path(PathForm form) throws RefusedRequestException {
        try {
            return form.normalOfTarget(sentPath());
        } catch (PathRefusedException e) {
            throw RefusedRequestException.bad("path: refused (expected: " + e.expected() + ")");
        }
    }

    /**
     * Returns the path as it was sent, or the root for {@code *}. Attributes are built from it, because the canonical form does not show
     * the other ways in which servers may read the path.
     */
    public String sentPath() {
        int mark = text.indexOf('?');
        return text.equals(SERVER) ? "/" : mark < 0 ? text : text.substring(0, mark);
    }

    /** Returns the text after the question mark, as it was sent. */
    public String query() {
        int mark = text.indexOf('?');
        return mark < 0 ? "" : text.substring(mark + 1);
    }

    private static int schemeEnd(String uri) {
        String start = uri.substring(0, Math.min(uri.length(), 8)).toLowerCase(Locale.ROOT);
        return start.startsWith("http://") ? 7 : start.startsWith("https://") ? 8 : -1;
    }

    private static String checked(String method, String given) throws RefusedRequestException {
        for (int i = 0; i < given.length(); i++) {
            char c = given.charAt(i);
            if (c <= ' ' || c >= 0x7f || c == '#') {
                throw RefusedRequestException.bad(
                        "target: invalid character (expected: percent-encoded, such as %20 for a space)");
            }
        }
        if (!given.startsWith("/") && !(given.equals(SERVER) && method.equals("OPTIONS"))) {
            throw RefusedRequestException.bad("target: not a path (expected: a path such as /orders)");
        }
        return given;
    }
}
