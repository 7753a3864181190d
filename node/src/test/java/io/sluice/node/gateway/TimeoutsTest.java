package io.sluice.node.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.node.gateway.config.GatewaySettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Everything that must not take forever ends. */
@Timeout(300)
class TimeoutsTest {

    private static final String GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

    @Test
    void aConnectionThatIsNeverEstablishedIs504() throws Exception {
        List<Socket> fillers = new ArrayList<>();
        try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            fill(full, fillers);
            try (TestGateway gateway = new TestGateway(
                            wishes -> wishes.settings = settings -> new GatewaySettings(
                                    0,
                                    Optional.empty(),
                                    settings.largestHeadBytes(),
                                    settings.keepAlive(),
                                    Duration.ofMillis(300),
                                    settings.drain(),
                                    settings.connections()),
                            URI.create("http://127.0.0.1:" + full.getLocalPort()));
                    RawClient client = gateway.client()) {
                assertThat(client.send(GET).message())
                        .startsWith("HTTP/1.1 504 ")
                        .contains("no connection in time");
                assertThat(gateway.upstreams.said).containsExactly("failed", "over");
            }
        } finally {
            for (Socket socket : fillers) {
                socket.close();
            }
        }
    }

    /** Connects until the system accepts no more connections. */
    private static void fill(ServerSocket server, List<Socket> fillers) throws IOException {
        for (int i = 0; i < 100; i++) {
            Socket socket = new Socket();
            fillers.add(socket);
            try {
                socket.connect(new InetSocketAddress(server.getInetAddress(), server.getLocalPort()), 1_000);
            } catch (SocketTimeoutException isFull) {
                return;
            }
        }
        throw new IllegalStateException("the backlog never filled");
    }

    @Test
    void anAnswerThatNeverComesIs504() throws Exception {
        try (RawUpstream upstream = new RawUpstream(caller -> {
                    caller.head();
                    caller.isClosed();
                });
                TestGateway gateway =
                        new TestGateway(wishes -> wishes.requestTimeout = Duration.ofMillis(300), upstream.origin());
                RawClient client = gateway.client()) {
            assertThat(client.send(GET).message()).startsWith("HTTP/1.1 504 ").contains("no answer in time");
            assertThat(gateway.upstreams.said).containsExactly("failed", "over");
        }
    }

    @Test
    void aBodyThatNeverComesIs408AndOnlyTheCallersFault() throws Exception {
        try (RawUpstream upstream = new RawUpstream(RawClient::rest);
                TestGateway gateway =
                        new TestGateway(wishes -> wishes.requestTimeout = Duration.ofSeconds(2), upstream.origin());
                RawClient client = gateway.client()) {
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc");
            assertThat(client.message()).startsWith("HTTP/1.1 408 ");
            assertThat(client.isClosed()).isTrue();
            assertThat(gateway.upstreams.said).containsExactly("abandoned", "over");
        }
    }

    @Test
    void anAnswerThatStopsIsCutOff() throws Exception {
        try (RawUpstream upstream = new RawUpstream(caller -> {
                    caller.head();
                    caller.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
                    caller.isClosed();
                });
                TestGateway gateway =
                        new TestGateway(wishes -> wishes.idleTimeout = Duration.ofMillis(300), upstream.origin());
                RawClient client = gateway.client()) {
            assertThat(client.send(GET).head()).startsWith("HTTP/1.1 200 ");
            assertThat(client.rest()).isEqualTo("3\r\nabc\r\n");
            await().untilAsserted(() -> assertThat(gateway.upstreams.said).containsExactly("answered 200", "over"));
        }
    }

    @Test
    void aCallerWhoStopsReadingIsCutOff() throws Exception {
        byte[] much = new byte[1 << 20];
        try (RawUpstream upstream = new RawUpstream(caller -> {
                    caller.head();
                    caller.send("HTTP/1.1 200 OK\r\nContent-Length: " + (1L << 40) + "\r\n\r\n");
                    while (true) {
                        caller.socket.getOutputStream().write(much);
                    }
                });
                TestGateway gateway =
                        new TestGateway(wishes -> wishes.idleTimeout = Duration.ofMillis(500), upstream.origin());
                RawClient client = gateway.client()) {
            client.send(GET).head();
            await().untilAsserted(() -> assertThat(gateway.upstreams.said).containsExactly("answered 200", "over"));
        }
    }

    @Test
    void connectionsWithoutRequestsAreClosedEvenIfBytesTrickleIn() throws Exception {
        try (RawUpstream upstream = RawUpstream.answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
                TestGateway gateway = new TestGateway(
                        wishes -> wishes.settings = settings -> new GatewaySettings(
                                0,
                                Optional.empty(),
                                settings.largestHeadBytes(),
                                Duration.ofSeconds(1),
                                settings.connectTimeout(),
                                settings.drain(),
                                settings.connections()),
                        upstream.origin());
                RawClient silent = gateway.client();
                RawClient idle = gateway.client();
                RawClient trickling = gateway.client()) {
            idle.send(GET).message();
            trickling.send(GET).message();
            boolean cut = isCut(trickling, "GET / HTTP/1.1\r\nX-A: ");
            assertThat(idle.isClosed()).isTrue();
            CompletableFuture<Boolean> closed = CompletableFuture.supplyAsync(() -> isClosed(silent));
            await().until(() -> {
                gateway.tickArrivals();
                return closed.isDone();
            });
            assertThat(closed).isCompletedWithValue(true);
            await().until(() -> cut || isCut(trickling, "a"));
        }
    }

    private static boolean isClosed(RawClient client) {
        try {
            return client.isClosed();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isCut(RawClient client, String text) {
        try {
            client.send(text);
            return false;
        } catch (IOException closed) {
            return true;
        }
    }
}
