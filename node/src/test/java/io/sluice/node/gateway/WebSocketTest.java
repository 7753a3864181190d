package io.sluice.node.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.node.gateway.config.GatewaySettings;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Upgrades to WebSockets, which pass bytes in both directions. */
@Timeout(300)
class WebSocketTest {

    private static final String ASK = RawClient.lines(
            "GET /chat HTTP/1.1",
            "Host: a",
            "Connection: keep-alive, Upgrade",
            "Upgrade: websocket",
            "Sec-WebSocket-Key: abc",
            "Sec-WebSocket-Version: 13");
    private static final String GRANTED = RawClient.lines(
            "HTTP/1.1 101 Switching Protocols",
            "Connection: Upgrade",
            "Upgrade: websocket",
            "Sec-WebSocket-Accept: xyz");

    private static RawUpstream echo() throws Exception {
        return new RawUpstream(caller -> {
            String head = caller.head();
            if (!head.contains("connection: Upgrade\r\n") || !head.contains("upgrade: websocket\r\n")) {
                caller.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
                return;
            }
            caller.send(GRANTED + "early");
            caller.socket.getInputStream().transferTo(caller.socket.getOutputStream());
        });
    }

    @Test
    void bytesPassInBothDirectionsUntilOneSideCloses() throws Exception {
        AtomicInteger over = new AtomicInteger();
        try (RawUpstream upstream = echo();
                TestGateway gateway = new TestGateway(
                        wishes -> wishes.before = exchange -> exchange.whenOver(over::incrementAndGet),
                        upstream.origin())) {
            try (RawClient client = gateway.client()) {
                client.send(ASK);
                assertThat(client.head())
                        .startsWith("HTTP/1.1 101 ")
                        .containsIgnoringCase("connection: upgrade\r\n")
                        .containsIgnoringCase("upgrade: websocket\r\n")
                        .contains("sec-websocket-accept: xyz\r\n")
                        .doesNotContainIgnoringCase("transfer-encoding");
                assertThat(client.read(5)).isEqualTo("early");
                assertThat(client.send("\u0081\u0003abc").read(5)).isEqualTo("\u0081\u0003abc");
                assertThat(over).hasValue(0);
            }
            await().untilAsserted(() -> assertThat(gateway.upstreams.said).containsExactly("answered 101", "over"));
            assertThat(over).hasValue(1);
        }
    }

    @Test
    void theCallerReceivesTheUpstreamsLastBytesAndThenItsClose() throws Exception {
        try (RawUpstream upstream = new RawUpstream(caller -> {
                    caller.head();
                    caller.send(GRANTED + "x".repeat(100_000));
                });
                TestGateway gateway = TestGateway.to(upstream.origin());
                RawClient client = gateway.client()) {
            assertThat(client.send(ASK).head()).startsWith("HTTP/1.1 101 ");
            assertThat(client.rest()).hasSize(100_000);
        }
    }

    @Test
    void aSilentTunnelIsClosed() throws Exception {
        try (RawUpstream upstream = echo();
                TestGateway gateway =
                        new TestGateway(wishes -> wishes.idleTimeout = Duration.ofMillis(300), upstream.origin());
                RawClient client = gateway.client()) {
            client.send(ASK).head();
            assertThat(client.rest()).isEqualTo("early");
            await().untilAsserted(() -> assertThat(gateway.upstreams.said).endsWith("over"));
        }
    }

    @Test
    void aRefusedUpgradeIsAnOrdinaryAnswer() throws Exception {
        try (RawUpstream upstream = RawUpstream.answering("HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno");
                TestGateway gateway = TestGateway.to(upstream.origin());
                RawClient client = gateway.client()) {
            for (int i = 0; i < 3; i++) {
                assertThat(client.send(ASK).message())
                        .startsWith("HTTP/1.1 403 ")
                        .endsWith("no");
            }
            await().untilAsserted(() -> assertThat(gateway.upstreams.said).hasSize(6));
        }
    }

    @Test
    void anUpgradeThatWasNotRequestedIsRefused() throws Exception {
        try (RawUpstream upstream = new RawUpstream(caller -> {
                    caller.head();
                    caller.send("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n");
                    caller.isClosed();
                });
                TestGateway gateway = TestGateway.to(upstream.origin());
                RawClient client = gateway.client()) {
            assertThat(client.send(ASK).message()).startsWith("HTTP/1.1 502 ");
        }
    }

    @Test
    void closingTheGatewayEndsTunnelsInTime() throws Exception {
        try (RawUpstream upstream = echo();
                TestGateway gateway = new TestGateway(
                        wishes -> wishes.settings = settings -> new GatewaySettings(
                                0,
                                Optional.empty(),
                                settings.largestHeadBytes(),
                                settings.keepAlive(),
                                settings.connectTimeout(),
                                Duration.ofMillis(300),
                                settings.connections()),
                        upstream.origin());
                RawClient client = gateway.client()) {
            client.send(ASK).head();
            gateway.door.close();
            assertThat(client.rest()).isEqualTo("early");
            await().untilAsserted(() -> assertThat(gateway.upstreams.said).endsWith("over"));
        }
    }

    @Test
    void closingTheGatewayGivesTunnelsTheDrainTimeAndNoMore() throws Exception {
        try (RawUpstream upstream = echo();
                TestGateway gateway = TestGateway.to(upstream.origin());
                RawClient client = gateway.client();
                RawClient refused = gateway.client()) {
            client.send(ASK).head();
            client.read(5);
            refused.send("GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n").message();
            CompletableFuture<Void> closing = CompletableFuture.runAsync(gateway.door::close);
            assertThat(refused.isClosed()).isTrue();
            for (int i = 0; i < 20; i++) {
                assertThat(client.send("still").read(5)).isEqualTo("still");
            }
            assertThat(closing).isNotDone();
            client.close();
            closing.get(60, TimeUnit.SECONDS);
        }
    }

    @Test
    void theUpstreamsCloseReachesTheCallerEvenWhileTheGatewayCloses() throws Exception {
        CountDownLatch leave = new CountDownLatch(1);
        try (RawUpstream upstream = new RawUpstream(caller -> {
                    if (caller.head().contains("upgrade: websocket\r\n")) {
                        caller.send(GRANTED + "early");
                        leave.await();
                        caller.send("last");
                    } else {
                        caller.send("HTTP/1.1 204 No Content\r\n\r\n");
                    }
                });
                TestGateway gateway = TestGateway.to(upstream.origin());
                RawClient client = gateway.client();
                RawClient idle = gateway.client()) {
            client.send(ASK).head();
            idle.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n").message();
            CompletableFuture<Void> closing = CompletableFuture.runAsync(gateway.door::close);
            assertThat(idle.isClosed()).isTrue();
            client.socket.setSoTimeout(60_000);
            leave.countDown();
            assertThat(client.rest()).isEqualTo("earlylast");
            closing.get(60, TimeUnit.SECONDS);
        }
    }

    @Test
    void tunnelsOutliveTheKeepAliveOfIdleConnections() throws Exception {
        try (RawUpstream upstream = echo();
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
                RawClient client = gateway.client();
                RawClient idle = gateway.client()) {
            client.send(ASK).head();
            client.read(5);
            idle.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n").message();
            assertThat(idle.isClosed()).isTrue();
            assertThat(client.send("still").read(5)).isEqualTo("still");
        }
    }

    @Test
    void aSideThatDoesNotReadStopsTheOther() throws Exception {
        AtomicLong written = new AtomicLong();
        CountDownLatch granted = new CountDownLatch(1);
        byte[] piece = new byte[64 * 1_024];
        try (RawUpstream upstream = new RawUpstream(caller -> {
                    caller.head();
                    caller.send(GRANTED);
                    granted.countDown();
                    while (true) {
                        caller.socket.getOutputStream().write(piece);
                        written.addAndGet(piece.length);
                    }
                });
                TestGateway gateway = TestGateway.to(upstream.origin());
                RawClient client = gateway.client()) {
            client.send(ASK).head();
            granted.await();
            assertThat(BackPressureTest.untilItStops(written, gateway)).isLessThan(32L << 20);
            client.read(40 << 20);
            assertThat(written.get()).isGreaterThanOrEqualTo(40L << 20);
        }
    }
}
