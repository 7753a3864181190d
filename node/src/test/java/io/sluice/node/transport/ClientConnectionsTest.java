package io.sluice.node.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.node.RawHttp2;
import io.sluice.node.gateway.RawClient;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import java.net.InetAddress;
import java.net.Socket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server that gives connections five ticks without a request and three to be read. */
@Timeout(300)
class ClientConnectionsTest {

    private static final String GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

    private final Arrivals arrivals = Arrivals.overBestTransport();
    private final Vertx vertx = Vertx.builder().withTransport(arrivals).build();
    private final ClientConnections connections = new ClientConnections(arrivals, 5, 3);
    private final AtomicReference<Context> loop = new AtomicReference<>();
    private HttpServer server;

    @BeforeEach
    void listen() throws Exception {
        server = vertx.createHttpServer()
                .connectionHandler(connection -> {
                    loop.set(Vertx.currentContext());
                    connections.opened(connection);
                })
                .requestHandler(request ->
                        connections.asked(request, asked -> asked.response().end("hello")))
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .get(60, TimeUnit.SECONDS);
    }

    @AfterEach
    void stop() throws Exception {
        vertx.close().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    @Test
    void aConnectionInUseIsNotIdleHoweverShortItsRequestsAre() throws Exception {
        try (RawClient client = new RawClient(new Socket(InetAddress.getLoopbackAddress(), server.actualPort()))) {
            for (int i = 0; i < 10; i++) {
                assertThat(client.send(GET).message()).endsWith("hello");
                tick(5);
            }
            tick(1);
            assertThat(client.isClosed()).isTrue();
        }
    }

    @Test
    void aFewUnreadAnswersDoNotKeepAConnectionOpen() throws Exception {
        try (RawHttp2 client = new RawHttp2(server.actualPort(), 0)) {
            client.get("/");
            client.get("/");
            await().until(() -> client.seen(RawHttp2.HEADERS) == 2);
            tick(5);
            client.get("/");
            await().until(() -> client.isClosed() || client.seen(RawHttp2.HEADERS) == 3);
            assertThat(client.isClosed()).isFalse();
            tick(12);
            await().until(client::isClosed);
        }
    }

    private void tick(int times) throws Exception {
        CompletableFuture<Void> ticked = new CompletableFuture<>();
        loop.get().runOnContext(now -> {
            for (int i = 0; i < times; i++) {
                connections.tick();
            }
            ticked.complete(null);
        });
        ticked.get(60, TimeUnit.SECONDS);
    }
}
