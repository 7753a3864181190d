package io.sluice.spring;

import java.security.Principal;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What is known of the request that somebody works for. Read only; values are as rules see them.
 *
 * <p>In a servlet application the {@link Finder} finds it for the current thread. In reactive code it is in the Reactor context,
 * under the key {@code CurrentRequest.class}.
 */
public interface CurrentRequest {

    /**
     * The value of an attribute by the name that rules use: {@code ip}, {@code path}, {@code method}, {@code user},
     * {@code tenant}, {@code header.<name>}, {@code query.<name>}, {@code claim.<name>}; null if there is none. What can be read in two ways (a
     * field that is there twice, a path that servers disagree on) is an exception that web applications answer with 400.
     */
    @Nullable
    String attribute(String name);

    /** Who is verified to call; null if nobody is. */
    @Nullable
    Principal principal();

    /** Finds the request that the current thread works for. */
    @FunctionalInterface
    interface Finder {

        /** The request; empty outside of one. */
        Optional<CurrentRequest> current();
    }
}
