package io.sluice.node.gateway.route;

import io.vertx.core.net.ClientSSLOptions;
import java.net.URI;
import java.util.Optional;
import java.util.Set;

/** Chooses among the servers of a service. Thread-safe. */
public interface UpstreamGroup {

    /**
     * Returns the server for a request: healthy servers take turns, or the server with the fewest open requests is chosen. Returns empty
     * if there is no server left to try; the answer is then 503.
     *
     * @param tried servers that must not be chosen again
     */
    Optional<Turn> next(Set<URI> tried);

    /** One request to one server. It must be ended exactly once, whatever the outcome. Used by one thread at a time. */
    interface Turn {

        /** Returns {@code http://host:port} or {@code https://host:port}, without a path. */
        URI origin();

        /** Returns whether to use HTTP/2: with ALPN for {@code https}, otherwise with prior knowledge. */
        boolean http2();

        /** Returns how to verify the server with {@code https}; empty for the default. All requests to a service get the same object. */
        default Optional<ClientSSLOptions> tls() {
            return Optional.empty();
        }

        /** Reports the head of an answer. A status of 502 to 504 counts against the server's health. */
        void answered(int status);

        /** Reports that there was no answer: no connection, a reset, or a timeout. Counts against the server's health. */
        void failed(Throwable why);

        /** Reports that the request says nothing about the server, because the caller disconnected or was cut off. */
        void abandoned();

        /** Ends the request and frees its place. Call it after one of the other methods. */
        void over();
    }
}
