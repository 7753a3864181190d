package io.sluice.node.gateway.config;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.ClientSSLOptions;
import io.vertx.core.net.PemTrustOptions;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Whom a gateway believes to be an upstream that is spoken to by TLS. Immutable.
 *
 * @param authorities who may sign its certificate, in PEM; without them whoever the Java runtime trusts
 * @param verify whether its certificate has to be good, and for its name
 * @param file where the authorities were read
 */
public record UpstreamTls(Optional<String> authorities, boolean verify, Optional<Path> file) {

    /** As browsers do it. */
    public static final UpstreamTls SYSTEM = new UpstreamTls(Optional.empty(), true, Optional.empty());

    /** Each time a new object, of which all requests to a service share one. Empty if nothing special is wanted. */
    public Optional<ClientSSLOptions> options(boolean http2) {
        if (equals(SYSTEM)) {
            return Optional.empty();
        }
        ClientSSLOptions options = new ClientSSLOptions()
                .setTrustAll(!verify)
                .setHostnameVerificationAlgorithm(verify ? "HTTPS" : "")
                .setUseAlpn(http2);
        authorities.ifPresent(pem -> options.setTrustOptions(new PemTrustOptions().addCertValue(Buffer.buffer(pem))));
        return Optional.of(options);
    }
}
