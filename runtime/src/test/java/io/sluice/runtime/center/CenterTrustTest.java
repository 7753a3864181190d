package io.sluice.runtime.center;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which centers a process trusts. The center has a certificate for {@code localhost}, signed by an authority of its own. */
class CenterTrustTest {

    private static final char[] PASSWORD = "changeit".toCharArray();

    @TempDir
    static Path folder;

    private static HttpsServer server;

    @BeforeAll
    static void serve() throws Exception {
        Path store = folder.resolve("keys.p12");
        keytool(store, "-alias", "ca", "-dname", "CN=ca", "-ext", "bc:c");
        keytool(store, "-alias", "other", "-dname", "CN=other", "-ext", "bc:c");
        keytool(store, "-alias", "center", "-dname", "CN=center", "-ext", "san=dns:localhost", "-signer", "ca");
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD);
        }
        for (String name : List.of("ca", "other", "center")) {
            Files.writeString(
                    folder.resolve(name + ".crt"),
                    "-----BEGIN CERTIFICATE-----\n"
                            + Base64.getMimeEncoder(64, new byte[] {'\n'})
                                    .encodeToString(keys.getCertificate(name).getEncoded())
                            + "\n-----END CERTIFICATE-----\n");
        }
        keys.deleteEntry("ca");
        keys.deleteEntry("other");
        KeyManagerFactory factory = KeyManagerFactory.getInstance("PKIX");
        factory.init(keys, PASSWORD);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(factory.getKeyManagers(), null, null);
        server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(context));
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        server.start();
    }

    @AfterAll
    static void stop() {
        server.stop(0);
    }

    private static void keytool(Path store, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1",
                "-storetype",
                "PKCS12",
                "-keystore",
                store.toString(),
                "-storepass",
                new String(PASSWORD)));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isZero();
    }

    private static int get(String host, SSLContext trust) throws Exception {
        return HttpClient.newBuilder()
                .sslContext(trust)
                .build()
                .send(
                        HttpRequest.newBuilder(URI.create("https://" + host + ":"
                                        + server.getAddress().getPort()))
                                .build(),
                        BodyHandlers.discarding())
                .statusCode();
    }

    private static SSLContext trust(String name) {
        return CenterTrust.context(folder.resolve(name + ".crt"));
    }

    @Test
    void anAuthorityVouchesForTheNameInTheCertificateOnly() throws Exception {
        assertThat(get("localhost", trust("ca"))).isEqualTo(200);
        assertThatThrownBy(() -> get("127.0.0.1", trust("ca"))).isInstanceOf(SSLHandshakeException.class);
    }

    @Test
    void theCertificateItselfIsTrustedUnderAnyName() throws Exception {
        assertThat(get("localhost", trust("center"))).isEqualTo(200);
        assertThat(get("127.0.0.1", trust("center"))).isEqualTo(200);
    }

    @Test
    void anotherAuthorityIsNeverTrusted() throws Exception {
        assertThatThrownBy(() -> get("localhost", trust("other"))).isInstanceOf(SSLHandshakeException.class);
        assertThatThrownBy(() -> get("localhost", SSLContext.getDefault())).isInstanceOf(SSLHandshakeException.class);
    }

    @Test
    void aNewFileIsUsedAtOnce() throws Exception {
        Path file = Files.copy(folder.resolve("other.crt"), folder.resolve("used.crt"));
        SSLContext trust = CenterTrust.context(file);
        assertThatThrownBy(() -> get("localhost", trust)).isInstanceOf(SSLHandshakeException.class);

        Files.copy(folder.resolve("ca.crt"), file, StandardCopyOption.REPLACE_EXISTING);

        assertThat(get("localhost", trust)).isEqualTo(200);
    }

    @Test
    void aFileWithoutCertificatesIsRefused() throws Exception {
        Path empty = Files.writeString(folder.resolve("empty.crt"), "");
        Path text = Files.writeString(folder.resolve("text.crt"), "hello");
        for (Path file : List.of(empty, text, folder, folder.resolve("missing"))) {
            assertThatThrownBy(() -> CenterTrust.context(file))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("center-ca: " + file + " has no readable certificate");
        }
    }
}
