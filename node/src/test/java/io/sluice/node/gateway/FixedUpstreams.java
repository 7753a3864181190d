package io.sluice.node.gateway;

import io.sluice.node.gateway.route.UpstreamGroup;
import io.vertx.core.net.ClientSSLOptions;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

/** Servers in list order; records the outcome of each turn. */
public final class FixedUpstreams implements UpstreamGroup {

    public final List<String> said = new CopyOnWriteArrayList<>();
    private final List<URI> origins;
    private final boolean http2;
    private final Optional<ClientSSLOptions> tls;

    FixedUpstreams(boolean http2, Optional<ClientSSLOptions> tls, List<URI> origins) {
        this.http2 = http2;
        this.tls = tls;
        this.origins = origins;
    }

    @Override
    public Optional<Turn> next(Set<URI> tried) {
        return origins.stream()
                .filter(origin -> !tried.contains(origin))
                .findFirst()
                .map(Said::new);
    }

    private final class Said implements Turn {

        private final URI origin;

        Said(URI origin) {
            this.origin = origin;
        }

        @Override
        public URI origin() {
            return origin;
        }

        @Override
        public boolean http2() {
            return http2;
        }

        @Override
        public Optional<ClientSSLOptions> tls() {
            return tls;
        }

        @Override
        public void answered(int status) {
            said.add("answered " + status);
        }

        @Override
        public void failed(Throwable why) {
            said.add("failed");
        }

        @Override
        public void abandoned() {
            said.add("abandoned");
        }

        @Override
        public void over() {
            said.add("over");
        }
    }
}
