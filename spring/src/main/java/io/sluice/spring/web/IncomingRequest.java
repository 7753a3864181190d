package io.sluice.spring.web;

import io.sluice.rules.pattern.Address;
import java.security.Principal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request as the server received it, before any code rewrote its path, address or headers based on other headers. Its methods
 * are cheap and may be called by any thread that works for the request.
 */
public interface IncomingRequest {

    /** Returns the method that is served, after filters that let forms override it. */
    String method();

    /** Returns path and query as they were sent, undecoded, or the whole target in absolute form. */
    String target();

    /** Returns the lines of a header in the order of their arrival. The name is in lower case. */
    List<String> headers(String name);

    /** Returns the address of the peer, or null if the connection has none, as with a Unix socket. */
    @Nullable
    Address peer();

    /** Returns the authenticated caller; null if the caller is not authenticated. */
    @Nullable
    Principal principal();

    /** Returns whether the request declares that it has no body. */
    boolean isBodiless();

    /** Returns the attribute that the server has set on the request under this name, or null if there is none. */
    default @Nullable Object note(String name) {
        return null;
    }

    /** Returns the first line of a header; null if there is none. */
    default @Nullable String header(String name) {
        List<String> lines = headers(name);
        return lines.isEmpty() ? null : lines.get(0);
    }
}
