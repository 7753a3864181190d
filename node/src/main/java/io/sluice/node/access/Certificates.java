package io.sluice.node.access;

import io.sluice.core.time.Clock;
import io.sluice.node.config.StartFailedException;
import io.sluice.node.gateway.config.TlsSettings;
import io.sluice.rules.watch.ContentRefusedException;
import io.sluice.rules.watch.FileWatch;
import io.sluice.rules.watch.Looks;
import io.sluice.rules.watch.RegularFile;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.core.net.ServerSSLOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The certificates of a port, watched as described in {@link FileWatch}. Open connections keep the certificates they started
 * with. Opened by one thread, closed by any.
 */
public final class Certificates implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Certificates.class);
    private static final Duration LOOK_EVERY = Duration.ofSeconds(1);

    private final TlsSettings files;
    private final Content begun;
    private @Nullable FileWatch<Content> watch;

    private record Content(Buffer certificate, Buffer key, List<Buffer> clientAuthorities) {}

    private Certificates(TlsSettings files) throws IOException {
        this.files = files;
        this.begun = read();
    }

    /**
     * Reads the files of a port.
     *
     * @param name the name of the files, for errors
     * @param tls empty if the port serves plain text
     */
    public static Optional<Certificates> open(String name, Optional<TlsSettings> tls) throws StartFailedException {
        if (tls.isEmpty()) {
            return Optional.empty();
        }
        TlsSettings files = tls.get();
        try {
            return Optional.of(new Certificates(files));
        } catch (IOException e) {
            throw new StartFailedException(
                    name + ": " + files.certificate() + ", " + files.key() + " (expected: readable PEM files)",
                    List.of(String.valueOf(e.getMessage())));
        }
    }

    /** Returns the options with which the server starts. */
    public ServerSSLOptions atStart() {
        return options(begun);
    }

    /** Lets a server that is about to start use certificates. */
    public static void use(ServerSSLOptions own, HttpServerOptions options) {
        options.setSsl(true)
                .setUseAlpn(true)
                .setKeyCertOptions(own.getKeyCertOptions())
                .setClientAuth(own.getClientAuth());
        if (own.getClientAuth() != ClientAuth.NONE) {
            options.setTrustOptions(own.getTrustOptions());
        }
    }

    /** Passes changed certificates on to these servers from now on. */
    public synchronized void follow(List<HttpServer> servers, Clock clock) {
        watch = FileWatch.begin(
                files.certificate().toString(),
                begun,
                this::readAgain,
                new InUse(servers),
                Looks.onThread("sluice-certificates", clock, LOOK_EVERY));
    }

    @Override
    public synchronized void close() {
        if (watch != null) {
            watch.close();
        }
    }

    /** Servers apply certificates asynchronously and only afterwards report that they cannot use them. */
    private final class InUse implements FileWatch.Follower<Content> {

        private final List<HttpServer> servers;

        InUse(List<HttpServer> servers) {
            this.servers = servers;
        }

        @Override
        public void take(Content content) {
            give(servers, options(content));
        }

        @Override
        public void refuse(List<String> reasons) {
            unusable(reasons.get(0));
        }
    }

    private void give(List<HttpServer> servers, ServerSSLOptions options) {
        Future.join(servers.stream()
                        .map(server -> server.updateSSLOptions(options))
                        .toList())
                .onSuccess(taken -> LOG.info("certificates changed: {}", files.certificate()))
                .onFailure(why -> unusable(why.getClass().getSimpleName()));
    }

    private void unusable(String why) {
        LOG.warn("certificates unusable, the last good ones stay in use: {}: {}", files.certificate(), why);
    }

    private Content readAgain(Content last) throws ContentRefusedException {
        try {
            return read();
        } catch (IOException e) {
            throw new ContentRefusedException(RegularFile.problem(e));
        }
    }

    private Content read() throws IOException {
        return new Content(
                Buffer.buffer(RegularFile.bytes(files.certificate())),
                Buffer.buffer(RegularFile.bytes(files.key())),
                files.clientAuthorities().isPresent()
                        ? List.of(Buffer.buffer(
                                RegularFile.bytes(files.clientAuthorities().get())))
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
