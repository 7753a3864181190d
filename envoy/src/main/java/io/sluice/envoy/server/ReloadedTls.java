package io.sluice.envoy.server;

import io.grpc.ServerCredentials;
import io.grpc.TlsServerCredentials;
import io.grpc.util.AdvancedTlsX509KeyManager;
import io.grpc.util.AdvancedTlsX509TrustManager;
import io.grpc.util.AdvancedTlsX509TrustManager.Verification;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Certificates that are read again when their files change, and taken when two looks in a row see the same: files that are being
 * written are never taken half. Connections that are open keep what they began with.
 */
final class ReloadedTls implements AutoCloseable {

    static final Duration LOOK_EVERY = Duration.ofSeconds(1);

    private static final System.Logger LOG = System.getLogger(ReloadedTls.class.getName());

    private final TlsFiles files;
    private final ScheduledExecutorService looking;
    private final AdvancedTlsX509KeyManager own = new AdvancedTlsX509KeyManager();
    private final AdvancedTlsX509TrustManager clients;

    /** Touched only by the looking thread, after the first look. */
    private PemContent judged;

    private PemContent seen;

    private boolean unreadable;

    private ReloadedTls(TlsFiles files, ScheduledExecutorService looking) throws IOException, GeneralSecurityException {
        this.files = files;
        this.looking = looking;
        this.clients = AdvancedTlsX509TrustManager.newBuilder()
                .setVerification(Verification.CERTIFICATE_ONLY_VERIFICATION)
                .build();
        this.judged = PemContent.read(files);
        this.seen = judged;
        take(judged);
    }

    /** Reads them; a bad change later is logged, and the last good ones stay in use. */
    static ReloadedTls open(TlsFiles files, Duration lookEvery) throws IOException, GeneralSecurityException {
        ScheduledExecutorService looking = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread looker = new Thread(task, "sluice-certificates");
            looker.setDaemon(true);
            return looker;
        });
        try {
            ReloadedTls tls = new ReloadedTls(files, looking);
            tls.keepLooking(lookEvery);
            return tls;
        } catch (IOException | GeneralSecurityException | RuntimeException e) {
            looking.shutdown();
            throw e;
        }
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
        looking.shutdown();
    }

    @SuppressWarnings("FutureReturnValueIgnored") // it never throws, and ends when this is closed
    private void keepLooking(Duration every) {
        looking.scheduleWithFixedDelay(this::look, every.toMillis(), every.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void look() {
        try {
            PemContent now = PemContent.read(files);
            if (now.equals(seen) && !now.equals(judged)) {
                judged = now;
                take(now);
                LOG.log(Level.INFO, () -> "certificates changed: " + files.certificate());
            }
            seen = now;
            unreadable = false;
        } catch (IOException e) {
            if (!unreadable) {
                unusable(e);
            }
            unreadable = true;
        } catch (GeneralSecurityException | RuntimeException e) {
            unusable(e);
        }
    }

    /** Once for each content: what was judged is not judged again. */
    private void unusable(Exception why) {
        String reason = why.getClass().getSimpleName();
        LOG.log(
                Level.WARNING,
                () -> "certificates unusable, the last ones stay in use: " + files.certificate() + ": " + reason);
    }

    private void take(PemContent content) throws IOException, GeneralSecurityException {
        content.check();
        own.updateIdentityCredentials(content.certificates(), content.privateKey());
        if (files.clientAuthorities().isPresent()) {
            clients.updateTrustCredentials(content.authorities());
        }
    }
}
