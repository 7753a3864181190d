package io.sluice.testkit.process;

import io.sluice.core.time.Clock;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.Security;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.ECGenParameterSpec;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import javax.security.auth.x500.X500Principal;

/**
 * Creates self-signed certificates for {@code localhost} in a folder. A process of the JDK's keytool would take half a second for each
 * certificate.
 */
public final class SelfSigned {

    private static final int INTEGER = 0x02;
    private static final int BIT_STRING = 0x03;
    private static final int OCTET_STRING = 0x04;
    private static final int UTC_TIME = 0x17;
    private static final int SEQUENCE = 0x30;
    private static final int VERSION = 0xa0;
    private static final int EXTENSIONS = 0xa3;
    private static final int DNS_NAME = 0x82;
    private static final int IP_ADDRESS = 0x87;

    /** The object identifiers of ECDSA with SHA-256, and of the other names of a subject. */
    private static final byte[] ECDSA_WITH_SHA256 = HexFormat.of().parseHex("06082a8648ce3d040302");

    private static final byte[] OTHER_NAMES = HexFormat.of().parseHex("0603551d11");

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyMMddHHmmss'Z'").withZone(ZoneOffset.UTC);

    private static final char[] PASSWORD = "changeit".toCharArray();

    // A publicly known password needs no rounds, which take nine tenths of the time.
    static {
        for (String rounds : List.of("keyPbe", "certPbe", "mac")) {
            Security.setProperty("keystore.pkcs12." + rounds + "IterationCount", "10");
        }
    }

    private final Path folder;

    public SelfSigned(Path folder) {
        this.folder = folder;
    }

    /** Creates {@code <name>.crt}, {@code <name>.key}, and {@code <name>.p12} with both and the password {@code changeit}. */
    public void make(String name) throws IOException, GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        KeyPair keys = generator.generateKeyPair();
        byte[] content = content("CN=" + name, keys.getPublic().getEncoded());
        Signature signature = Signature.getInstance("SHA256withECDSA");
        signature.initSign(keys.getPrivate());
        signature.update(content);
        byte[] certificate = der(
                SEQUENCE, content, der(SEQUENCE, ECDSA_WITH_SHA256), der(BIT_STRING, new byte[] {0}, signature.sign()));
        write(name + ".crt", "CERTIFICATE", certificate);
        write(name + ".key", "PRIVATE KEY", keys.getPrivate().getEncoded());
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, PASSWORD);
        Certificate[] chain = {
            CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(certificate))
        };
        store.setKeyEntry(name, keys.getPrivate(), PASSWORD, chain);
        try (OutputStream out = Files.newOutputStream(folder.resolve(name + ".p12"))) {
            store.store(out, PASSWORD);
        }
    }

    public Path certificate(String name) {
        return folder.resolve(name + ".crt");
    }

    public Path key(String name) {
        return folder.resolve(name + ".key");
    }

    /** Returns the signed part of a certificate. */
    private static byte[] content(String name, byte[] publicKey) {
        byte[] subject = new X500Principal(name).getEncoded();
        Instant now = Instant.ofEpochSecond(Clock.system().epochMicros() / 1_000_000);
        byte[] names = der(
                SEQUENCE,
                der(DNS_NAME, "localhost".getBytes(StandardCharsets.US_ASCII)),
                der(IP_ADDRESS, new byte[] {127, 0, 0, 1}));
        return der(
                SEQUENCE,
                der(VERSION, der(INTEGER, new byte[] {2})),
                der(INTEGER, serial()),
                der(SEQUENCE, ECDSA_WITH_SHA256),
                subject,
                der(SEQUENCE, time(now), time(now.plus(90, ChronoUnit.DAYS))),
                subject,
                publicKey,
                der(EXTENSIONS, der(SEQUENCE, der(SEQUENCE, OTHER_NAMES, der(OCTET_STRING, names)))));
    }

    /** Returns a positive random number without leading zeros. It must differ between two certificates of one name. */
    private static byte[] serial() {
        byte[] random = HexFormat.of().parseHex(UUID.randomUUID().toString().substring(0, 8));
        return new byte[] {1, random[0], random[1], random[2], random[3]};
    }

    private static byte[] time(Instant instant) {
        return der(UTC_TIME, TIME.format(instant).getBytes(StandardCharsets.US_ASCII));
    }

    /** Returns a value of ASN.1 in DER: its type, its length, and its parts. */
    private static byte[] der(int type, byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        ByteArrayOutputStream value = new ByteArrayOutputStream();
        value.write(type);
        if (all.size() >= 256) {
            value.write(0x82);
            value.write(all.size() >> 8);
        } else if (all.size() >= 128) {
            value.write(0x81);
        }
        value.write(all.size());
        value.writeBytes(all.toByteArray());
        return value.toByteArray();
    }

    private void write(String file, String kind, byte[] content) throws IOException {
        String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        Files.writeString(
                folder.resolve(file), "-----BEGIN " + kind + "-----\n" + body + "\n-----END " + kind + "-----\n");
    }
}
