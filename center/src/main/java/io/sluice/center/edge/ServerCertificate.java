package io.sluice.center.edge;

import io.sluice.center.signin.settings.TlsFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.boot.ssl.pem.PemContent;

/** Checks the certificate of a center, and returns the settings of a server that uses it. */
public final class ServerCertificate {

    /** The time for which files must be unchanged before they are read again, so that both files are in place. */
    private static final String QUIET = "2s";

    private static final String BUNDLE = "spring.ssl.bundle.pem.center.";

    private ServerCertificate() {}

    /**
     * Checks the files before a start.
     *
     * @throws IOException if a file cannot be used; the message is one line for the user
     */
    public static void check(TlsFiles files) throws IOException {
        List<X509Certificate> chain = readable(files.certificate(), "cert", "a certificate chain in PEM")
                .getCertificates();
        PrivateKey key;
        try {
            key = readable(files.key(), "key", "a private key in PEM without a password")
                    .getPrivateKey();
        } catch (RuntimeException e) {
            key = null;
        }
        if (key == null) {
            throw refused("key", files.key(), "has no usable private key", "a private key in PEM without a password");
        }
        try {
            if (isOf(key, chain.get(0))) {
                return;
            }
        } catch (GeneralSecurityException e) {
            // The key cannot sign for this certificate.
        }
        throw refused("key", files.key(), "does not belong to " + files.certificate(), "the key of this certificate");
    }

    /** Returns the settings of a server with TLS 1.2 and 1.3 that reads the files again when they change. */
    public static Map<String, Object> properties(TlsFiles files) {
        Map<String, Object> properties = new LinkedHashMap<>();
        properties.put(BUNDLE + "keystore.certificate", location(files.certificate()));
        properties.put(BUNDLE + "keystore.private-key", location(files.key()));
        properties.put(BUNDLE + "options.enabled-protocols", "TLSv1.3,TLSv1.2");
        properties.put(BUNDLE + "reload-on-update", true);
        properties.put("spring.ssl.bundle.watch.file.quiet-period", QUIET);
        properties.put("server.ssl.bundle", "center");
        return properties;
    }

    private static String location(Path file) {
        return "file:" + file.toAbsolutePath().normalize();
    }

    private static PemContent readable(Path file, String name, String expected) throws IOException {
        if (!Files.isRegularFile(file) || !Files.isReadable(file)) {
            throw refused(name, file, "is missing or not readable", expected);
        }
        try {
            PemContent content = PemContent.load(file);
            if (name.equals("cert")) {
                // This fails if the file contains no certificate.
                X509Certificate unused = content.getCertificates().get(0);
            }
            return content;
        } catch (IOException | RuntimeException e) {
            throw refused(name, file, "is not one", expected);
        }
    }

    private static IOException refused(String name, Path file, String why, String expected) {
        return new IOException("center.tls." + name + ": " + file + " " + why + " (expected: " + expected + ")");
    }

    private static boolean isOf(PrivateKey key, X509Certificate certificate) throws GeneralSecurityException {
        byte[] text = "sluice".getBytes(StandardCharsets.US_ASCII);
        Signature signature = Signature.getInstance(
                switch (key.getAlgorithm()) {
                    case "RSA" -> "SHA256withRSA";
                    case "EC" -> "SHA256withECDSA";
                    default -> key.getAlgorithm();
                });
        signature.initSign(key);
        signature.update(text);
        byte[] signed = signature.sign();
        signature.initVerify(certificate.getPublicKey());
        signature.update(text);
        return signature.verify(signed);
    }
}
