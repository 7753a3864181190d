package io.sluice.envoy.server;

import io.grpc.ServerCredentials;
import io.grpc.TlsServerCredentials;
import io.grpc.util.AdvancedTlsX509KeyManager;
import io.grpc.util.AdvancedTlsX509TrustManager;
import io.grpc.util.AdvancedTlsX509TrustManager.Verification;
import io.sluice.core.time.Clock;
import io.sluice.rules.watch.ContentRefusedException;
import io.sluice.rules.watch.FileWatch;
import io.sluice.rules.watch.Looks;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.List;

/**
 * Certificates that a {@link FileWatch} reloads. Open connections keep the certificates that they started with.
 *
 * <p>gRPC can also reload certificates ({@code AdvancedTlsX509KeyManager.updateIdentityCredentials} with a period). But it relies on the
 * time stamps of the files and does not check that key and certificate match. So this class reads the files and passes their content to
 * gRPC.
 */
final class ReloadedTls implements AutoCloseable {

    static final Duration LOOK_EVERY = Duration.ofSeconds(1);

    private static final System.Logger LOG = System.getLogger(ReloadedTls.class.getName());

    private final TlsFiles files;
    private final AdvancedTlsX509KeyManager own = new AdvancedTlsX509KeyManager();
    private final AdvancedTlsX509TrustManager clients;
    private final FileWatch<PemContent> watch;

    private ReloadedTls(TlsFiles files, Duration lookEvery) throws IOException, GeneralSecurityException {
        this.files = files;
        this.clients = AdvancedTlsX509TrustManager.newBuilder()
                .setVerification(Verification.CERTIFICATE_ONLY_VERIFICATION)
                .build();
        PemContent begun = PemContent.read(files);
        take(begun);
        this.watch = FileWatch.begin(
                files.certificate().toString(),
                begun,
                this::readAgain,
                new InUse(),
                Looks.onThread("sluice-certificates", Clock.system(), lookEvery));
    }

    /** Reads the certificates. If a later change is invalid, it is logged and the last good certificates stay in use. */
    static ReloadedTls open(TlsFiles files, Duration lookEvery) throws IOException, GeneralSecurityException {
        return new ReloadedTls(files, lookEvery);
    }

    ServerCredentials credentials() {
        TlsServerCredentials.Builder builder = TlsServerCredentials.newBuilder().keyManager(own);
        if (files.clientAuthorities().isPresent()) {
            builder.trustManager(clients).clientAuth(TlsServerCredentials.ClientAuth.REQUIRE);
        }
        return builder.build();
    }

    @Override
    public void close() {
        watch.close();
    }

    private PemContent readAgain(PemContent last) throws ContentRefusedException {
        try {
            return PemContent.read(files);
        } catch (IOException e) {
            throw refusal(e);
        }
    }

    /** Reveals only the type of the error, because the message could contain parts of a key. */
    private static ContentRefusedException refusal(Exception why) {
        return new ContentRefusedException(why.getClass().getSimpleName());
    }

    private final class InUse implements FileWatch.Follower<PemContent> {

        @Override
        public void take(PemContent content) throws ContentRefusedException {
            try {
                ReloadedTls.this.take(content);
            } catch (IOException | GeneralSecurityException | RuntimeException e) {
                throw refusal(e);
            }
            LOG.log(Level.INFO, () -> "certificates changed: " + files.certificate());
        }

        @Override
        public void refuse(List<String> reasons) {
            LOG.log(
                    Level.WARNING,
                    () -> "certificates unusable, the last ones stay in use: " + files.certificate() + ": "
                            + reasons.get(0));
        }
    }

    private void take(PemContent content) throws IOException, GeneralSecurityException {
        content.check();
        own.updateIdentityCredentials(content.certificates(), content.privateKey());
        if (files.clientAuthorities().isPresent()) {
            clients.updateTrustCredentials(content.authorities());
        }
    }
}
