package io.sluice.runtime.center;

import io.sluice.rules.watch.RegularFile;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Trusts the centers that a PEM file names, and no others: those with a certificate of an authority in the file, under the name in
 * that certificate, and those whose own certificate is in the file, under any name. The file is read at each handshake, so a new
 * one needs no restart. Thread-safe.
 */
public final class CenterTrust extends X509ExtendedTrustManager {

    private final Path file;

    private CenterTrust(Path file) {
        this.file = file;
    }

    /**
     * Returns a context for connections to a center.
     *
     * @throws IllegalArgumentException if the file has no certificate
     */
    public static SSLContext context(Path file) {
        try {
            CenterTrust trust = new CenterTrust(file);
            List<X509Certificate> unused = trust.certificates();
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {trust}, null);
            return context;
        } catch (CertificateException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("TLS is missing; every JDK must provide it", e);
        }
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        List<X509Certificate> known = certificates();
        if (!known.contains(chain[0])) {
            authorities(known).checkServerTrusted(chain, type, engine);
        }
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        List<X509Certificate> known = certificates();
        if (!known.contains(chain[0])) {
            authorities(known).checkServerTrusted(chain, type, socket);
        }
    }

    /** Without a connection, the name that the certificate must have is unknown. */
    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
        throw new CertificateException("no connection to check a certificate for");
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        checkClientTrusted(chain, type);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        checkClientTrusted(chain, type);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
        throw new CertificateException("a center is no client");
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return new X509Certificate[0];
    }

    private List<X509Certificate> certificates() throws CertificateException {
        try {
            Collection<? extends Certificate> found = CertificateFactory.getInstance("X.509")
                    .generateCertificates(new ByteArrayInputStream(RegularFile.bytes(file)));
            if (!found.isEmpty()) {
                return found.stream().map(X509Certificate.class::cast).toList();
            }
        } catch (IOException | CertificateException e) {
            throw refused(e);
        }
        throw refused(null);
    }

    private CertificateException refused(@org.jspecify.annotations.Nullable Exception cause) {
        return new CertificateException(
                "center-ca: " + file + " has no readable certificate (expected: certificates in PEM)", cause);
    }

    private static X509ExtendedTrustManager authorities(List<X509Certificate> known) throws CertificateException {
        try {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            for (int i = 0; i < known.size(); i++) {
                store.setCertificateEntry("center" + i, known.get(i));
            }
            TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
            factory.init(store);
            return (X509ExtendedTrustManager) factory.getTrustManagers()[0];
        } catch (GeneralSecurityException | IOException e) {
            throw new CertificateException("the certificates of the center cannot be used", e);
        }
    }
}
