package io.sluice.node.gateway.route;

import io.vertx.core.net.ClientSSLOptions;
import java.net.URI;
import java.util.Optional;
import java.util.Set;

/** The servers behind a service, and which of them is next. Safe for use by many threads. */
public interface UpstreamGroup {

    /**
     * The server for a request, the healthy ones in turn or by open requests. Empty if there is none left to try: then the answer
     * is 503.
     *
     * @param tried not these again
     */
    Optional<Turn> next(Set<URI> tried);

    /** One request to one server; ended exactly once, whatever becomes of it. For one thread at a time. */
    interface Turn {

        /** {@code http://host:port} or {@code https://host:port}, without a path. */
        URI origin();

        /** Whether to speak HTTP/2: by ALPN with {@code https}, else with prior knowledge. */
        boolean http2();

        /** How to make sure that it is the server, with {@code https}; empty: as usual. The same object for all of a service. */
        default Optional<ClientSSLOptions> tls() {
            return Optional.empty();
        }

        /** The head of an answer came. A status of 502 to 504 counts against the server's health. */
        void answered(int status);

        /** There was no answer: no connection, a reset, silence. Counts against the server's health. */
        void failed(Throwable why);

        /** Nothing is to be learnt from it: the caller left, or was cut off. */
        void abandoned();

        /** The request is over: frees its place. Follows one of the others. */
        void over();
    }
}
