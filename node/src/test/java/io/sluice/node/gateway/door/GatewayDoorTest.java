package io.sluice.node.gateway.door;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.sluice.core.time.Clock;
import io.sluice.node.access.Certificates;
import io.sluice.node.config.StartFailedException;
import io.sluice.node.gateway.RawClient;
import io.sluice.node.gateway.RawUpstream;
import io.sluice.node.gateway.TestGateway;
import io.sluice.node.gateway.config.GatewaySettings;
import io.sluice.node.gateway.config.TlsSettings;
import io.sluice.node.gateway.exchange.GatewayProblem;
import io.sluice.node.transport.Arrivals;
import io.sluice.testkit.process.SelfSigned;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** The gateway's port: limits of heads, TLS, and closing. */
@Timeout(300)
class GatewayDoorTest {

    private static final String GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";

    @Test
    void usesTheNativeTransportAndOnePortForAllLoops() throws Exception {
        try (RawUpstream upstream = RawUpstream.answering(OK);
                TestGateway gateway = TestGateway.to(upstream.origin())) {
            assertThat(gateway.vertx.isNativeTransportEnabled())
                    .isEqualTo(System.getProperty("os.name").equals("Linux"));
            for (int i = 0; i < 8; i++) {
                try (RawClient client = gateway.client()) {
                    assertThat(client.send(GET).message()).endsWith("hi");
                }
            }
        }
    }

    @Test
    void headsThatAreTooLargeOrInvalidAreRefused() throws Exception {
        try (TestGateway gateway = TestGateway.to()) {
            assertThat(answerTo(gateway, "GET /" + "a".repeat(40_000) + " HTTP/1.1\r\nHost: a\r\n\r\n"))
                    .matches("(?s)HTTP/1\\.. 414 .*");
            assertThat(answerTo(gateway, "GET / HTTP/1.1\r\nHost: a\r\nX-A: " + "a".repeat(40_000) + "\r\n\r\n"))
                    .matches("(?s)HTTP/1\\.. 431 .*")
                    .containsIgnoringCase("application/problem+json");
            assertThat(answerTo(gateway, "GET / HTTP/1.1\r\nHost: a\r\n" + "X-A: b\r\n".repeat(10_000) + "\r\n"))
                    .matches("(?s)HTTP/1\\.. 431 .*");
            assertThat(answerTo(gateway, "hello\r\n\r\n")).matches("(?s)HTTP/1\\.. 400 .*");
        }
    }

    private static String answerTo(TestGateway gateway, String request) throws IOException {
        try (RawClient client = gateway.client()) {
            String answer = client.send(request).message();
            assertThat(client.isClosed()).isTrue();
            return answer;
        }
    }

    @Test
    void aPortInUseIsReported() {
        try (TestGateway gateway = TestGateway.to()) {
            GatewayDoor other = new GatewayDoor(gateway.vertx, Arrivals.overBestTransport(), Clock.system());
            Vertx vertx = Vertx.vertx();
            try {
                assertThatThrownBy(() -> new GatewayDoor(vertx, Arrivals.overBestTransport(), Clock.system())
                                .open("127.0.0.1", GatewaySettings.ofPort(gateway.port()), (request, forwarder) -> {}))
                        .isInstanceOf(StartFailedException.class)
                        .hasMessage(
                                "gateway port " + gateway.port()
                                        + " on 127.0.0.1: in use (expected: a free port; choose another with --gateway-port, 0 takes any)");
                assertThat(other.port()).isZero();
            } finally {
                vertx.close();
            }
        }
    }

    @Test
    void closingLetsRequestsInFlightFinishAndNotifiesTheirConnections() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch answer = new CountDownLatch(1);
        try (RawUpstream upstream = new RawUpstream(caller -> {
                    caller.head();
                    asked.countDown();
                    answer.await();
                    caller.send(OK);
                    caller.isClosed();
                });
                TestGateway gateway = TestGateway.to(upstream.origin());
                RawClient client = gateway.client()) {
            client.send(GET);
            asked.await();
            CompletableFuture<Void> closed = CompletableFuture.runAsync(gateway.door::close);
            await().untilAsserted(() -> assertThatThrownBy(
                            () -> new Socket(InetAddress.getLoopbackAddress(), gateway.port()).close())
                    .isInstanceOf(IOException.class));
            assertThat(closed).isNotDone();
            answer.countDown();
            assertThat(client.message())
                    .containsIgnoringCase("connection: close\r\n")
                    .endsWith("hi");
            assertThat(client.isClosed()).isTrue();
            closed.get(60, TimeUnit.SECONDS);
        }
    }

    @Test
    void closingDoesNotWaitForever() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        try (RawUpstream upstream = new RawUpstream(caller -> {
                    caller.head();
                    asked.countDown();
                    caller.isClosed();
                });
                TestGateway gateway = new TestGateway(
                        wishes -> wishes.settings = settings -> new GatewaySettings(
                                0,
                                Optional.empty(),
                                settings.largestHeadBytes(),
                                settings.keepAlive(),
                                settings.connectTimeout(),
                                Duration.ofMillis(500),
                                settings.connections()),
                        upstream.origin());
                RawClient client = gateway.client()) {
            client.send(GET);
            asked.await();
            CompletableFuture.runAsync(gateway.door::close).get(60, TimeUnit.SECONDS);
            assertThat(client.isClosed()).isTrue();
            await().untilAsserted(() -> assertThat(gateway.upstreams.said).containsExactly("abandoned", "over"));
        }
    }

    @Test
    void noWorkIsDoneForACallerThatKeepsAskingButNeverReads() throws Exception {
        AtomicInteger reached = new AtomicInteger();
        String answer = "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + "x".repeat(100_000);
        try (RawUpstream upstream = new RawUpstream(caller -> {
                    while (!caller.head().isEmpty()) {
                        reached.incrementAndGet();
                        caller.send(answer);
                    }
                });
                TestGateway gateway = new TestGateway(
                        wishes -> {
                            wishes.idleTimeout = Duration.ofSeconds(1);
                            wishes.settings = settings -> new GatewaySettings(
                                    0,
                                    Optional.empty(),
                                    settings.largestHeadBytes(),
                                    Duration.ofSeconds(1),
                                    settings.connectTimeout(),
                                    settings.drain(),
                                    settings.connections());
                        },
                        upstream.origin());
                Socket socket = new Socket()) {
            socket.setReceiveBufferSize(4_096);
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), gateway.port()));
            RawClient client = new RawClient(socket);
            client.send(GET.repeat(2_000));
            await().atMost(Duration.ofSeconds(60)).until(() -> isCut(client));
            assertThat(reached).hasValueLessThan(200);
        }
    }

    @Test
    void anyNumberOfRequestsMayArriveInOnePiece() throws Exception {
        try (RawUpstream upstream = RawUpstream.answering(OK);
                TestGateway gateway = TestGateway.to(upstream.origin());
                RawClient client = gateway.client()) {
            client.send(GET.repeat(1_000));
            for (int i = 0; i < 1_000; i++) {
                assertThat(client.message()).startsWith("HTTP/1.1 200 ").endsWith("hi");
            }
        }
    }

    @Test
    void anyNumberOfRequestsMayBeRefusedInOnePiece() throws Exception {
        try (TestGateway gateway = new TestGateway(wishes ->
                        wishes.entry = (request, forwarder) -> GatewayProblem.answer(request, 404, "route: none"));
                RawClient client = gateway.client()) {
            client.send(GET.repeat(3_000));
            for (int i = 0; i < 3_000; i++) {
                assertThat(client.message()).startsWith("HTTP/1.1 404 ");
            }
        }
    }

    @Test
    void aConnectionTooManyIsClosedAtOnceAndCounted() throws Exception {
        try (RawUpstream upstream = RawUpstream.answering(OK);
                TestGateway gateway = new TestGateway(
                        wishes -> wishes.settings = settings -> new GatewaySettings(
                                0,
                                Optional.empty(),
                                settings.largestHeadBytes(),
                                settings.keepAlive(),
                                settings.connectTimeout(),
                                settings.drain(),
                                2),
                        upstream.origin());
                RawClient first = gateway.client()) {
            assertThat(first.send(GET).message()).endsWith("hi");
            try (RawClient second = gateway.client()) {
                assertThat(second.send(GET).message()).endsWith("hi");
                try (RawClient third = gateway.client()) {
                    assertThat(third.isClosed()).isTrue();
                }
                assertThat(gateway.door.refusedConnections()).isEqualTo(1);
                assertThat(first.send(GET).message()).endsWith("hi");
            }
            await().untilAsserted(() -> {
                try (RawClient next = gateway.client()) {
                    assertThat(answered(next)).isTrue();
                }
            });
        }
    }

    private static boolean answered(RawClient client) {
        try {
            return client.send(GET).message().endsWith("hi");
        } catch (IOException refused) {
            return false;
        }
    }

    private static boolean isCut(RawClient client) {
        try {
            client.send("\r\n");
            return false;
        } catch (IOException cut) {
            return true;
        }
    }

    @Test
    void supportsBothTlsVersionsAndReloadsCertificates(@TempDir Path folder) throws Exception {
        SelfSigned made = new SelfSigned(folder);
        made.make("first");
        made.make("second");
        Path certificate = folder.resolve("tls.crt");
        Path key = folder.resolve("tls.key");
        Files.copy(made.certificate("first"), certificate);
        Files.copy(made.key("first"), key);
        try (RawUpstream upstream = RawUpstream.answering(OK);
                TestGateway gateway = new TestGateway(
                        wishes -> wishes.settings = settings -> new GatewaySettings(
                                0,
                                Optional.of(new TlsSettings(certificate, key, Optional.empty())),
                                settings.largestHeadBytes(),
                                settings.keepAlive(),
                                settings.connectTimeout(),
                                settings.drain(),
                                settings.connections()),
                        upstream.origin())) {
            assertThat(shown(gateway, "http/1.1")).isEqualTo("http/1.1 CN=first");
            assertThat(shown(gateway, "h2")).isEqualTo("h2 CN=first");
            try (RawClient client = new RawClient(tls(gateway, "http/1.1"))) {
                assertThat(client.send(GET).message()).endsWith("hi");
                assertThat(upstream.last()).contains("x-forwarded-proto: https\r\n", ";proto=https\r\n");
            }
            awaitRefusal(() -> {
                Files.writeString(certificate, "nonsense");
                Files.copy(made.key("second"), key, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
            });
            assertThat(shown(gateway, "http/1.1")).isEqualTo("http/1.1 CN=first");
            Files.copy(made.certificate("second"), certificate, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
            await().untilAsserted(() -> {
                assertThat(shown(gateway, "http/1.1")).isEqualTo("http/1.1 CN=second");
                assertThat(shown(gateway, "h2")).isEqualTo("h2 CN=second");
            });
        }
    }

    private interface Change {
        void apply() throws IOException;
    }

    /** Changes files of certificates, and waits until the gateway has refused them. */
    private static void awaitRefusal(Change change) throws IOException {
        Logger logger = (Logger) LoggerFactory.getLogger(Certificates.class);
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.list = new CopyOnWriteArrayList<>();
        log.start();
        logger.addAppender(log);
        try {
            change.apply();
            await().atMost(Duration.ofMinutes(5)).until(() -> log.list.stream()
                    .anyMatch(event -> event.getFormattedMessage().contains("certificates unusable")));
        } finally {
            logger.detachAppender(log);
        }
    }

    @Test
    void callersNeedACertificateIfAuthoritiesForThemAreConfigured(@TempDir Path folder) throws Exception {
        SelfSigned made = new SelfSigned(folder);
        made.make("server");
        made.make("caller");
        made.make("stranger");
        try (RawUpstream upstream = RawUpstream.answering(OK);
                TestGateway gateway = new TestGateway(
                        wishes -> wishes.settings = settings -> new GatewaySettings(
                                0,
                                Optional.of(new TlsSettings(
                                        made.certificate("server"),
                                        made.key("server"),
                                        Optional.of(made.certificate("caller")))),
                                settings.largestHeadBytes(),
                                settings.keepAlive(),
                                settings.connectTimeout(),
                                settings.drain(),
                                settings.connections()),
                        upstream.origin())) {
            try (RawClient caller = new RawClient(tls(gateway, "http/1.1", keys(folder.resolve("caller.p12"))))) {
                assertThat(caller.send(GET).message()).endsWith("hi");
            }
            for (KeyManager[] bad : List.of(new KeyManager[0], keys(folder.resolve("stranger.p12")))) {
                try (RawClient caller = new RawClient(tls(gateway, "http/1.1", bad))) {
                    assertThatThrownBy(() -> caller.send(GET).message()).isInstanceOf(IOException.class);
                }
            }
            assertThat(upstream.heads).hasSize(1);
        }
    }

    private static KeyManager[] keys(Path store) throws Exception {
        KeyStore keys = KeyStore.getInstance(store.toFile(), "changeit".toCharArray());
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(keys, "changeit".toCharArray());
        return managers.getKeyManagers();
    }

    private static String shown(TestGateway gateway, String protocol) throws Exception {
        try (SSLSocket socket = tls(gateway, protocol)) {
            socket.startHandshake();
            X509Certificate certificate = (X509Certificate) socket.getSession().getPeerCertificates()[0];
            return socket.getApplicationProtocol() + " "
                    + certificate.getSubjectX500Principal().getName();
        }
    }

    private static SSLSocket tls(TestGateway gateway, String protocol) throws Exception {
        return tls(gateway, protocol, new KeyManager[0]);
    }

    private static SSLSocket tls(TestGateway gateway, String protocol, KeyManager[] keys) throws Exception {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys, new TrustManager[] {new TrustingAll()}, null);
        SSLSocket socket =
                (SSLSocket) context.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), gateway.port());
        javax.net.ssl.SSLParameters parameters = socket.getSSLParameters();
        parameters.setApplicationProtocols(new String[] {protocol});
        socket.setSSLParameters(parameters);
        socket.setSoTimeout(60_000);
        return socket;
    }

    private static final class TrustingAll implements X509TrustManager {

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
