package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.center.access.Grant;
import io.sluice.center.access.Role;
import io.sluice.center.people.Account;
import io.sluice.center.signin.settings.SignInSettings;
import io.sluice.center.signin.settings.TlsFiles;
import io.sluice.testkit.Await;
import io.sluice.testkit.http.RawCaller;
import io.sluice.testkit.process.SelfSigned;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.security.core.authority.FactorGrantedAuthority;

/** What a center is like from outside: its address, its certificate, and what it refuses to do without one. */
class EdgeTest {

    @TempDir
    static Path folder;

    private static TlsFiles first;
    private static TlsFiles second;
    private static TlsFiles used;
    private static Center center;

    @BeforeAll
    static void open() throws Exception {
        SelfSigned maker = new SelfSigned(folder);
        maker.make("first");
        maker.make("second");
        first = new TlsFiles(maker.certificate("first"), maker.key("first"));
        second = new TlsFiles(maker.certificate("second"), maker.key("second"));
        used = new TlsFiles(folder.resolve("used.crt"), folder.resolve("used.key"));
        use(first);
        center = Center.open(PreparedCenter.in(folder.resolve("data"))
                .signIn(SignInSettings.LOCAL.withTls(used).withPublicUrl(URI.create("https://sluice.example"))));
    }

    @AfterAll
    static void close() {
        center.close();
    }

    /** Replaces both files as programs that renew certificates do. */
    private static void use(TlsFiles files) throws IOException {
        for (List<Path> each :
                List.of(List.of(files.certificate(), used.certificate()), List.of(files.key(), used.key()))) {
            Path beside = Files.copy(each.get(0), folder.resolve("copy"), StandardCopyOption.REPLACE_EXISTING);
            Files.move(beside, each.get(1), StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        }
    }

    private static String refusal(String bind, SignInSettings settings) {
        try (Center started = Center.open(
                PreparedCenter.in(folder.resolve("refused")).listening(bind, 0).signIn(settings))) {
            return "started " + started.address();
        } catch (CenterStartException e) {
            return String.valueOf(e.getMessage());
        }
    }

    @Test
    void aCenterBeyondLoopbackNeverStartsWithoutTls() {
        SignInSettings local = SignInSettings.LOCAL;
        List<String> proxies = List.of("10.0.0.0/8");
        for (String bind : List.of("0.0.0.0", "::", "192.0.2.1", "no.such.host.invalid")) {
            for (SignInSettings settings : List.of(
                    local,
                    local.withTrustedProxies(proxies),
                    local.withPublicUrl(URI.create("https://sluice.example")),
                    local.withPublicUrl(URI.create("http://localhost:8083")).withTrustedProxies(proxies))) {
                assertThat(refusal(bind, settings))
                        .startsWith("center-bind: " + bind + " without TLS, ")
                        .contains("center.tls", "trusted_proxies", "--public-url", "--center-bind 127.0.0.1")
                        .hasLineCount(1);
            }
        }
        SignInSettings behind = local.withPublicUrl(URI.create("https://sluice.example"))
                .withTrustedProxies(List.of("10.0.0.0/8", "::1"));
        assertThat(refusal("0.0.0.0", behind)).startsWith("started http://");
        assertThat(refusal("0.0.0.0", local.withTls(first))).startsWith("started https://");
    }

    @Test
    void aPublicUrlIsHttpsOrThisMachineAndHasNoPath() {
        for (String wrong : List.of(
                "http://sluice.example",
                "http://192.0.2.1:8083",
                "https://sluice.example/center",
                "https://sluice.example/",
                "https://user@sluice.example",
                "https://sluice.example?x=1",
                "ftp://sluice.example",
                "https:sluice")) {
            assertThat(refusal("127.0.0.1", SignInSettings.LOCAL.withPublicUrl(URI.create(wrong))))
                    .startsWith("public-url: ")
                    .hasLineCount(1);
        }
        assertThat(refusal(
                        "127.0.0.1",
                        SignInSettings.LOCAL.withTls(first).withPublicUrl(URI.create("http://localhost:8083"))))
                .startsWith("public-url: http://localhost:8083 with a certificate");
        assertThat(refusal("127.0.0.1", SignInSettings.LOCAL.withPublicUrl(URI.create("http://localhost:8083"))))
                .startsWith("started");
    }

    @Test
    void unusableNetworksAndCertificatesFailTheStartWithOneLine() throws Exception {
        for (String network : List.of("10.0.0.0/33", "x", "10.1.0.0/8", "0.0.0.0/0", "::/0", "")) {
            assertThat(refusal("127.0.0.1", SignInSettings.LOCAL.withTrustedProxies(List.of(network))))
                    .startsWith("trusted_proxies: ")
                    .hasLineCount(1);
        }
        Path empty = Files.writeString(folder.resolve("empty"), "");
        Path broken = Files.writeString(
                folder.resolve("broken"), "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
        Path badKey = Files.writeString(
                folder.resolve("bad.key"), "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n");
        for (Path certificate : List.of(empty, broken, folder, folder.resolve("missing"), first.key())) {
            assertThat(refusal("127.0.0.1", SignInSettings.LOCAL.withTls(new TlsFiles(certificate, first.key()))))
                    .startsWith("center.tls.cert: " + certificate + " ")
                    .hasLineCount(1);
        }
        for (Path key : List.of(empty, badKey, folder, folder.resolve("missing"), first.certificate(), second.key())) {
            assertThat(refusal("127.0.0.1", SignInSettings.LOCAL.withTls(new TlsFiles(first.certificate(), key))))
                    .startsWith("center.tls.key: " + key + " ")
                    .hasLineCount(1);
        }
    }

    @Test
    void onlyTls12And13AreSpokenAndPlainHttpIsNot() throws Exception {
        int port = center.address().getPort();
        for (String protocol : List.of("TLSv1.2", "TLSv1.3")) {
            try (SSLSocket socket =
                    (SSLSocket) trusting().getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), port)) {
                socket.setEnabledProtocols(new String[] {protocol});
                socket.startHandshake();
                assertThat(socket.getSession().getProtocol()).isEqualTo(protocol);
            }
        }
        try (SSLSocket socket =
                (SSLSocket) trusting().getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), port)) {
            socket.setEnabledProtocols(new String[] {"TLSv1.1"});
            assertThatThrownBy(socket::startHandshake).isInstanceOf(SSLException.class);
        }
        try (RawCaller caller = new RawCaller(port)) {
            assertThat(caller.get("/health").status()).isEqualTo(400);
        }
    }

    @Test
    void withHttpsTheCookieBelongsToTheHostAndBrowsersForgetHttp() throws Exception {
        Account account = ApiClient.account(center, "ann", Grant.of(Role.VIEWER));
        String id = center.people().sessions().begin(account, FactorGrantedAuthority.PASSWORD_AUTHORITY);

        HttpResponse<String> good = get("/api/rules", "Cookie", "__Host-sluice_session=" + id);
        HttpResponse<String> other = get("/api/rules", "Cookie", "sluice_session=" + id);

        assertThat(good.statusCode()).isEqualTo(200);
        assertThat(other.statusCode()).isEqualTo(401);
        for (HttpResponse<String> answer : List.of(good, other)) {
            assertThat(answer.headers().firstValue("Strict-Transport-Security"))
                    .hasValueSatisfying(value -> assertThat(value).startsWith("max-age=31536000"));
        }
    }

    @Test
    void anUnknownHostIsNeverReflected() throws Exception {
        try (Center plain = Center.open(PreparedCenter.in(folder.resolve("plain")))) {
            for (String target :
                    List.of("/", "/health", "/api/rules", "/api", "/sign-in", "/api/session", "//x", "/%")) {
                for (String header :
                        List.of("Host: evil.example", "Host: localhost\r\nX-Forwarded-Host: evil.example")) {
                    String answer = raw(plain, "GET " + target + " HTTP/1.1\r\n" + header);
                    assertThat(answer).as(target).startsWith("HTTP/1.1 ").doesNotContain("evil");
                }
            }
            assertThat(raw(plain, "GET /health HTTP/1.1\r\nHost: localhost"))
                    .startsWith("HTTP/1.1 200")
                    .doesNotContain("Strict-Transport-Security");
        }
    }

    /** Returns a whole answer, with its headers. */
    private static String raw(Center plain, String request) throws IOException {
        try (Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), plain.address().getPort())) {
            socket.getOutputStream()
                    .write((request + "\r\nConnection: close\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void aRenewedCertificateIsUsedWithoutARestart() throws Exception {
        String before = served();

        use(before.contains("first") ? second : first);

        Await.until("the new certificate", Duration.ofMinutes(2), () -> !served().equals(before));
    }

    private static String served() {
        try (SSLSocket socket = (SSLSocket) trusting()
                .getSocketFactory()
                .createSocket(InetAddress.getLoopbackAddress(), center.address().getPort())) {
            socket.startHandshake();
            return ((X509Certificate) socket.getSession().getPeerCertificates()[0])
                    .getSubjectX500Principal()
                    .getName();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static HttpResponse<String> get(String path, String... headers) throws Exception {
        return HttpClient.newBuilder()
                .sslContext(trusting())
                .build()
                .send(
                        HttpRequest.newBuilder(center.address().resolve(path))
                                .headers(headers)
                                .build(),
                        BodyHandlers.ofString());
    }

    private static SSLContext trusting() throws Exception {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(
                null,
                new TrustManager[] {
                    new X509TrustManager() {
                        @Override
                        public void checkClientTrusted(X509Certificate[] chain, String type) {}

                        @Override
                        public void checkServerTrusted(X509Certificate[] chain, String type) {}

                        @Override
                        public X509Certificate[] getAcceptedIssuers() {
                            return new X509Certificate[0];
                        }
                    }
                },
                new SecureRandom());
        return context;
    }
}
