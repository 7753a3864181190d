package io.sluice.envoy;

import io.grpc.ServerCredentials;
import io.grpc.TlsServerCredentials;
import io.grpc.util.AdvancedTlsX509KeyManager;
import io.grpc.util.AdvancedTlsX509TrustManager;
import io.grpc.util.AdvancedTlsX509TrustManager.Verification;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Certificates that are read again when their files change. Connections that are open keep what they began with. */
final class ReloadedTls implements AutoCloseable {

    static final Duration LOOK_EVERY = Duration.ofSeconds(5);

    private final ScheduledExecutorService looking;
    private final ServerCredentials credentials;

    private ReloadedTls(ScheduledExecutorService looking, ServerCredentials credentials) {
        this.looking = looking;
        this.credentials = credentials;
    }

    /** Reads them; a bad change later is logged, and the last good ones stay in use. */
    static ReloadedTls open(TlsFiles files, Duration lookEvery) throws IOException, GeneralSecurityException {
        ScheduledExecutorService looking = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread looker = new Thread(task, "sluice-certificates");
            looker.setDaemon(true);
            return looker;
        });
        try {
            return new ReloadedTls(looking, credentials(files, lookEvery, looking));
        } catch (IOException | GeneralSecurityException | RuntimeException e) {
            looking.shutdown();
            throw e;
        }
    }

    private static ServerCredentials credentials(TlsFiles files, Duration lookEvery, ScheduledExecutorService looking)
            throws IOException, GeneralSecurityException {
        AdvancedTlsX509KeyManager own = new AdvancedTlsX509KeyManager();
        own.updateIdentityCredentials(
                files.certificate().toFile(),
                files.key().toFile(),
                lookEvery.toMillis(),
                TimeUnit.MILLISECONDS,
                looking);
        TlsServerCredentials.Builder builder = TlsServerCredentials.newBuilder().keyManager(own);
        if (files.clientAuthorities().isPresent()) {
            AdvancedTlsX509TrustManager clients = AdvancedTlsX509TrustManager.newBuilder()
                    .setVerification(Verification.CERTIFICATE_ONLY_VERIFICATION)
                    .build();
            clients.updateTrustCredentials(
                    files.clientAuthorities().get().toFile(), lookEvery.toMillis(), TimeUnit.MILLISECONDS, looking);
            builder.trustManager(clients).clientAuth(TlsServerCredentials.ClientAuth.REQUIRE);
        }
        return builder.build();
    }

    ServerCredentials credentials() {
        return credentials;
    }

    @Override
    public void close() {
        looking.shutdown();
    }
}
