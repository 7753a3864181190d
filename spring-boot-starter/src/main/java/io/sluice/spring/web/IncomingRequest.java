package io.sluice.spring.web;

import io.sluice.rules.pattern.Address;
import java.security.Principal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request as the server got it, before anybody rewrote its path, its address or its headers from what other headers say. Its methods are
 * cheap, and may be called by any thread that works for the request.
 */
public interface IncomingRequest {

    /** The one that is served: filters that let forms choose another have been asked. */
    String method();

    /** Path and query as they were sent, nothing decoded; or the whole of an absolute form. */
    String target();

    /** The lines of the header of a name (in small letters), in the order they came. */
    List<String> headers(String name);

    /** Who connected; null if it has no address, as with a Unix socket. */
    @Nullable
    Address peer();

    /** Who is verified to call; null if nobody is. */
    @Nullable
    Principal principal();

    /** Whether it says of itself that it has no body. */
    boolean isBodiless();

    /** The first line of a header; null if there is none. */
    default @Nullable String header(String name) {
        List<String> lines = headers(name);
        return lines.isEmpty() ? null : lines.get(0);
    }
}
