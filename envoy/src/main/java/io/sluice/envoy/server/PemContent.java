package io.sluice.envoy.server;

import io.grpc.util.CertificateUtils;
import io.sluice.rules.watch.RegularFile;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.KeyException;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.util.Optional;

/** The content of the certificate files at the time they were read. Immutable; {@link #toString} shows none of it. */
record PemContent(String certificate, String key, Optional<String> authority) {

    private static final byte[] SAMPLE = "sluice".getBytes(StandardCharsets.UTF_8);

    static PemContent read(TlsFiles files) throws IOException {
        Optional<String> authority = files.clientAuthorities().isPresent()
                ? Optional.of(RegularFile.text(files.clientAuthorities().get()))
                : Optional.empty();
        return new PemContent(RegularFile.text(files.certificate()), RegularFile.text(files.key()), authority);
    }

    /** Checks that the key belongs to the certificate. With a different key, no client could connect any more. */
    void check() throws IOException, GeneralSecurityException {
        X509Certificate[] chain = certificates();
        if (chain.length == 0 || (authority.isPresent() && authorities().length == 0)) {
            throw new KeyException("no certificate in the file");
        }
        PrivateKey own = privateKey();
        String algorithm = own.getAlgorithm().equals("EC") ? "SHA256withECDSA" : "SHA256with" + own.getAlgorithm();
        Signature signing = Signature.getInstance(algorithm);
        signing.initSign(own);
        signing.update(SAMPLE);
        Signature verifying = Signature.getInstance(algorithm);
        verifying.initVerify(chain[0].getPublicKey());
        verifying.update(SAMPLE);
        if (!verifying.verify(signing.sign())) {
            throw new InvalidKeyException("the key does not belong to the certificate");
        }
    }

    X509Certificate[] certificates() throws GeneralSecurityException {
        return CertificateUtils.getX509Certificates(stream(certificate));
    }

    PrivateKey privateKey() throws IOException, GeneralSecurityException {
        return CertificateUtils.getPrivateKey(stream(key));
    }

    X509Certificate[] authorities() throws GeneralSecurityException {
        return CertificateUtils.getX509Certificates(stream(authority.orElse("")));
    }

    @Override
    public String toString() {
        return "certificates";
    }

    private static ByteArrayInputStream stream(String text) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
    }
}
