package io.sluice.node.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.sluice.node.RawHttp2;
import io.sluice.node.gateway.RawClient;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** Connections before their first head, on two doors of one transport. */
@Timeout(300)
class ArrivalsTest {

    private static final String GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    private static final String UPGRADE = RawClient.lines(
            "GET / HTTP/1.1",
            "Host: a",
            "Connection: Upgrade, HTTP2-Settings",
            "Upgrade: h2c",
            "HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA");

    private final Arrivals arrivals = Arrivals.overBestTransport();
    private final Vertx vertx = Vertx.builder().withTransport(arrivals).build();
    private final List<String> seen = new CopyOnWriteArrayList<>();

    @AfterEach
    void stop() throws Exception {
        vertx.close().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    private HttpServer door() throws Exception {
        return door("127.0.0.1", 0);
    }

    private HttpServer door(String host, int port) throws Exception {
        ClientConnections connections = new ClientConnections(arrivals, 60);
        return vertx.createHttpServer()
                .connectionHandler(connections::opened)
                .requestHandler(request -> connections.asked(request, asked -> {
                    seen.add(asked.version() + " " + asked.headers().contains("upgrade"));
                    asked.response().end("hello");
                }))
                .listen(port, host)
                .toCompletionStage()
                .toCompletableFuture()
                .get(60, TimeUnit.SECONDS);
    }

    @Test
    void aClientPortThatIsUsedOnTwoDoorsHidesNeither() throws Exception {
        InetAddress here = InetAddress.getLoopbackAddress();
        InetSocketAddress one = new InetSocketAddress(here, door().actualPort());
        InetSocketAddress other = new InetSocketAddress(here, door().actualPort());
        try (Socket first = new Socket();
                Socket second = new Socket()) {
            first.setReuseAddress(true);
            second.setReuseAddress(true);
            first.bind(new InetSocketAddress(here, 0));
            second.bind(first.getLocalSocketAddress());
            first.connect(one);
            second.connect(other);
            await().until(() -> arrivals.waiting() == 2);
            RawClient asks = new RawClient(first);
            assertThat(asks.send(GET).message()).endsWith("hello");
            assertThat(arrivals.waiting()).isEqualTo(1);
            arrivals.tick(1);
            arrivals.tick(1);
            assertThat(new RawClient(second).isClosed()).isTrue();
            assertThat(asks.send(GET).message()).endsWith("hello");
        }
    }

    @Test
    void doorsWithTheSamePortAtDifferentAddressesHaveTheirOwnCounts() throws Exception {
        int port = door().actualPort();
        door("127.0.0.2", port);
        OpenConnections atOne = arrivals.limit("127.0.0.1", port, 1);
        OpenConnections atOther = arrivals.limit("127.0.0.2", port, 1);
        try (RawClient first = new RawClient(new Socket(InetAddress.getLoopbackAddress(), port));
                RawClient second = new RawClient(new Socket("127.0.0.2", port))) {
            assertThat(first.send(GET).message()).endsWith("hello");
            assertThat(second.send(GET).message()).endsWith("hello");
            try (RawClient tooMany = new RawClient(new Socket("127.0.0.2", port))) {
                assertThat(tooMany.isClosed()).isTrue();
            }
            assertThat(atOne.refused()).isZero();
            assertThat(atOther.refused()).isEqualTo(1);
        }
    }

    /** However the address is written, and whatever the system makes of it. */
    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0", "localhost", "127.0.0.1"})
    void aDoorAtAnyAddressHasALimit(String host) throws Exception {
        int port = door(host, 0).actualPort();
        OpenConnections open = arrivals.limit(host, port, 1);
        try (RawClient first = new RawClient(new Socket(InetAddress.getLoopbackAddress(), port));
                RawClient tooMany = new RawClient(new Socket(InetAddress.getLoopbackAddress(), port))) {
            assertThat(tooMany.isClosed()).isTrue();
            assertThat(first.send(GET).message()).endsWith("hello");
            assertThat(open.refused()).isEqualTo(1);
        }
    }

    @Test
    void aConnectionThatIsResetBeforeItsHeadIsNotLogged() throws Exception {
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        root.addAppender(log);
        try {
            int port = door().actualPort();
            for (String begun : List.of("", "G", "P", "PRI * HT", "GET / HTTP/1.1\r\nHost:")) {
                try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                    new RawClient(socket).send(begun);
                    await().until(() -> arrivals.waiting() == 1);
                    socket.setSoLinger(true, 0);
                }
                await().until(() -> arrivals.waiting() == 0);
            }
            try (RawClient client = new RawClient(new Socket(InetAddress.getLoopbackAddress(), port))) {
                assertThat(client.send(GET).message()).endsWith("hello");
            }
            assertThat(log.list)
                    .filteredOn(line -> line.getLevel().isGreaterOrEqual(Level.WARN))
                    .extracting(ILoggingEvent::getFormattedMessage)
                    .noneMatch(line -> line.contains("reset"));
        } finally {
            root.detachAppender(log);
        }
    }

    @Test
    void a37AnUpgradeToHttp2IsIgnoredHoweverItIsCut() throws Exception {
        int port = door().actualPort();
        for (int piece : new int[] {UPGRADE.length(), 1, 2, 7}) {
            try (RawClient client = new RawClient(new Socket(InetAddress.getLoopbackAddress(), port))) {
                for (int at = 0; at < UPGRADE.length(); at += piece) {
                    client.send(UPGRADE.substring(at, Math.min(UPGRADE.length(), at + piece)));
                }
                assertThat(client.message()).startsWith("HTTP/1.1 200 OK\r\n").endsWith("hello");
                assertThat(client.send(UPGRADE).message())
                        .startsWith("HTTP/1.1 200 OK\r\n")
                        .endsWith("hello");
            }
        }
        assertThat(seen).hasSize(8).allMatch(request -> request.startsWith("HTTP_1_1"));
    }

    @Test
    void bothProtocolsBeginAsUsual() throws Exception {
        int port = door().actualPort();
        for (String method : List.of("GET", "POST", "PUT", "PATCH", "PRI", "OPTIONS")) {
            try (RawClient client = new RawClient(new Socket(InetAddress.getLoopbackAddress(), port))) {
                client.send(method + " / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n");
                assertThat(client.message()).as(method).endsWith("hello");
            }
        }
        try (RawHttp2 client = new RawHttp2(port, 65_535)) {
            client.get("/");
            await().until(() -> client.data() == 5);
        }
        assertThat(seen).last().isEqualTo("HTTP_2 false");
    }
}
