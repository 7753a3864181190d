package io.sluice.node.gateway.config;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.ClientSSLOptions;
import io.vertx.core.net.PemTrustOptions;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The verification of an upstream over TLS. Immutable.
 *
 * @param authorities the accepted CA certificates in PEM; without them, the authorities of the Java runtime
 * @param verify whether the upstream's certificate must be valid and match its name
 * @param file the file from which the authorities were read
 */
public record UpstreamTls(Optional<String> authorities, boolean verify, Optional<Path> file) {

    /** Trusts the authorities of the Java runtime and verifies the name, as a browser does. */
    public static final UpstreamTls SYSTEM = new UpstreamTls(Optional.empty(), true, Optional.empty());

    /** Creates new options; all requests to a service share one instance. Returns empty if the defaults apply. */
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
