package io.sluice.spring;

import io.sluice.rules.pattern.Origin;
import java.security.Principal;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The request that the current code works for, as rules see it. Read-only.
 *
 * <p>In a servlet application, {@link Finder} returns the request of the current thread. In reactive code the request is in the
 * Reactor context, under the key {@code CurrentRequest.class}.
 *
 * <pre>{@code
 * Optional<String> tenant = finder.current().map(request -> request.attribute("tenant"));
 * }</pre>
 */
public interface CurrentRequest {

    /**
     * Returns an attribute by the name that rules use: {@code ip}, {@code path}, {@code method}, {@code user}, {@code tenant},
     * {@code header.<name>}, {@code query.<name>} or {@code claim.<name>}; null if the request does not have it.
     *
     * <p>Throws if the value is ambiguous, for example a header that occurs twice or a path that servers read differently. Web
     * applications answer that exception with status 400.
     */
    @Nullable
    String attribute(String name);

    /**
     * Returns the path as it was sent, in which rules see every possible reading; null if the request has no path. The attribute {@code
     * path} is its normal form, by which requests are counted.
     */
    default @Nullable String sentPath() {
        return attribute("path");
    }

    /** Returns the authenticated caller; null if the caller is not authenticated. */
    @Nullable
    Principal principal();

    /** Returns the request's id and trace in other systems. They never affect a decision. */
    default Origin origin() {
        return Origin.UNKNOWN;
    }

    /** Finds the request that the current thread works for. */
    @FunctionalInterface
    interface Finder {

        /** Returns the request of the current thread; empty outside of a request. */
        Optional<CurrentRequest> current();
    }
}
