package io.sluice.node.gateway.door;

import io.sluice.node.gateway.config.TlsSettings;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.http.HttpServer;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.core.net.ServerSSLOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The certificates of the gateway, read again when their files change and taken when two looks in a row see the same: files that are
 * being written are never taken half. Connections that are open keep what they began with. For one thread at a time.
 */
final class Certificates {

    private static final Logger LOG = LoggerFactory.getLogger(Certificates.class);

    private final TlsSettings files;
    private Content judged;
    private Content seen;
    private boolean unreadable;

    private record Content(Buffer certificate, Buffer key, List<Buffer> clientAuthorities) {}

    /** Reads them. */
    Certificates(TlsSettings files) throws IOException {
        this.files = files;
        this.judged = read();
        this.seen = judged;
    }

    /** What to begin with. */
    ServerSSLOptions current() {
        return options(judged);
    }

    /** Looks once more, and gives these servers what is new. Reads files. */
    void look(List<HttpServer> servers) {
        try {
            Content now = read();
            if (now.equals(seen) && !now.equals(judged)) {
                judged = now;
                give(servers, options(now));
            }
            seen = now;
            unreadable = false;
        } catch (IOException e) {
            if (!unreadable) {
                unusable(e);
            }
            unreadable = true;
        }
    }

    private void give(List<HttpServer> servers, ServerSSLOptions options) {
        Future.join(servers.stream()
                        .map(server -> server.updateSSLOptions(options))
                        .toList())
                .onSuccess(taken -> LOG.info("certificates changed: {}", files.certificate()))
                .onFailure(this::unusable);
    }

    private void unusable(Throwable why) {
        LOG.warn(
                "certificates unusable, the last ones stay in use: {}: {}",
                files.certificate(),
                why.getClass().getSimpleName());
    }

    private Content read() throws IOException {
        return new Content(
                Buffer.buffer(Files.readAllBytes(files.certificate())),
                Buffer.buffer(Files.readAllBytes(files.key())),
                files.clientAuthorities().isPresent()
                        ? List.of(Buffer.buffer(
                                Files.readAllBytes(files.clientAuthorities().get())))
                        : List.of());
    }

    private static ServerSSLOptions options(Content content) {
        ServerSSLOptions options = new ServerSSLOptions()
                .setKeyCertOptions(new PemKeyCertOptions()
                        .setCertValue(content.certificate)
                        .setKeyValue(content.key))
                .setUseAlpn(true)
                .setApplicationLayerProtocols(List.of("h2", "http/1.1"))
                .setClientAuth(ClientAuth.NONE);
        if (!content.clientAuthorities.isEmpty()) {
            PemTrustOptions trusted = new PemTrustOptions();
            content.clientAuthorities.forEach(trusted::addCertValue);
            options.setTrustOptions(trusted).setClientAuth(ClientAuth.REQUIRED);
        }
        return options;
    }
}
