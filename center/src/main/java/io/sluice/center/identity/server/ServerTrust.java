package io.sluice.center.identity.server;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Collection;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Trust in the authorities of a PEM file, and in no others. The name of a server must still match its certificate. */
public final class ServerTrust {

    private ServerTrust() {}

    /**
     * Returns a context for connections; empty for the authorities that Java trusts.
     *
     * @param key the setting that names the file, for the error message
     */
    public static Optional<SSLContext> context(String key, Optional<Path> file) throws IOException {
        return file.isEmpty() ? Optional.empty() : Optional.of(context(key, file.get()));
    }

    private static SSLContext context(String key, Path file) throws IOException {
        try {
            Collection<? extends Certificate> certificates = CertificateFactory.getInstance("X.509")
                    .generateCertificates(new ByteArrayInputStream(Files.readAllBytes(file)));
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            for (Certificate certificate : certificates) {
                store.setCertificateEntry("authority" + store.size(), certificate);
            }
            if (store.size() > 0) {
                TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
                trust.init(store);
                SSLContext context = SSLContext.getInstance("TLS");
                context.init(null, trust.getTrustManagers(), null);
                return context;
            }
        } catch (GeneralSecurityException | IOException e) {
            throw new IOException(message(key, file), e);
        }
        throw new IOException(message(key, file));
    }

    private static String message(String key, Path file) {
        return key + ": " + file + " has no readable certificate (expected: certificates in PEM)";
    }
}
