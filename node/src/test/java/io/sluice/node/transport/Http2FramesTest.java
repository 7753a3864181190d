package io.sluice.node.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.node.RawHttp2;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** HTTP/2 connections that send too much of what is no request. Time passes only by ticks. */
@Timeout(300)
class Http2FramesTest {

    private static final int ENHANCE_YOUR_CALM = 0xb;

    /** A few frames come before each flood, and a frame is answered before it is counted. */
    private static final int ABOUT = 5;

    private final UnreadBytes unread = new UnreadBytes(300_000);
    private final Arrivals arrivals = Arrivals.overBestTransport(unread);
    private final Vertx vertx = Vertx.builder().withTransport(arrivals).build();
    private final ClientConnections connections = new ClientConnections(arrivals, 1_000_000, 1_000_000);
    private final AtomicReference<Context> loop = new AtomicReference<>();
    private final List<HttpServerRequest> held = new CopyOnWriteArrayList<>();
    private HttpServer server;

    @BeforeEach
    void listen() throws Exception {
        server = vertx.createHttpServer(new HttpServerOptions()
                        .setHttp2ConnectionWindowSize(1 << 20)
                        .setInitialSettings(new Http2Settings()
                                .setMaxConcurrentStreams(10_000)
                                .setInitialWindowSize(1 << 18)))
                .connectionHandler(connection -> {
                    loop.set(Vertx.currentContext());
                    connections.opened(connection);
                })
                .requestHandler(request -> connections.asked(request, this::answer))
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .get(60, TimeUnit.SECONDS);
    }

    private void answer(HttpServerRequest request) {
        if (request.path().equals("/held")) {
            held.add(request.pause());
        } else {
            request.response().end("hello");
        }
    }

    @AfterEach
    void stop() throws Exception {
        vertx.close().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    @ParameterizedTest
    @CsvSource({
        "PING, 6, 0, 8, 6",
        "acknowledged PING, 6, 1, 8, 6",
        "SETTINGS, 4, 0, 0, 4",
        "SETTINGS with content, 4, 0, 6, 4",
        "acknowledged SETTINGS, 4, 1, 0, 4",
        "PRIORITY, 2, 0, 5, 2",
        "unknown, 77, 0, 100, 77"
    })
    void aFloodOfControlFramesEndsTheConnectionAfterAFew(String name, int type, int flags, int length, int answer)
            throws Exception {
        byte[] payload = new byte[length];
        if (length == 6) {
            payload[1] = 3; // the setting of concurrent streams
        }
        int stream = type == RawHttp2.PRIORITY ? 3 : 0;
        try (RawHttp2 client = new RawHttp2(server.actualPort(), 65_535)) {
            client.flood(Http2Frames.MOST_SPARE - ABOUT, type, flags, stream, payload);
            answered(client);
            client.flood(2 * ABOUT, type, flags, stream, payload);
            await().until(client::isClosed);
            assertThat(client.goAwayError()).as(name).isEqualTo(ENHANCE_YOUR_CALM);
            assertThat(client.seen(answer)).isLessThanOrEqualTo(Http2Frames.MOST_SPARE + ABOUT);
        }
    }

    /** What a caller had sent before it heard of a reset costs little, but not nothing. */
    @Test
    void dataForAStreamThatHasEndedIsTolerated() throws Exception {
        try (RawHttp2 client = new RawHttp2(server.actualPort(), 65_535)) {
            int stream = client.get("/");
            await().until(() -> client.data() == "hello".length());
            client.flood(Http2Frames.MOST_SPARE / 2, RawHttp2.DATA, 0, stream, new byte[1]);
            answered(client);
            client.flood(2 * Http2Frames.MOST_SPARE, RawHttp2.DATA, 0, stream, new byte[1]);
            await().until(client::isClosed);
        }
    }

    @Test
    void aFloodOfUpdatesWithoutEffectEndsTheConnection() throws Exception {
        byte[] one = ByteBuffer.allocate(4).putInt(1).array();
        try (RawHttp2 client = new RawHttp2(server.actualPort(), 65_535)) {
            answered(client);
            client.flood(Http2Frames.MOST_SPARE + ABOUT, RawHttp2.WINDOW_UPDATE, 0, 0, one);
            await().until(client::isClosed);
            assertThat(client.goAwayError()).isEqualTo(ENHANCE_YOUR_CALM);
        }
    }

    @Test
    void anAnswerThatIsTakenByteByByteEndsTheConnection() throws Exception {
        byte[] one = ByteBuffer.allocate(4).putInt(1).array();
        try (RawHttp2 client = new RawHttp2(server.actualPort(), 0)) {
            for (int i = 0; i < 1_000 && !client.isClosed(); i++) {
                int stream = client.get("/");
                int taken = client.data();
                for (int j = 0; j < 5; j++) {
                    try {
                        client.frame(RawHttp2.WINDOW_UPDATE, 0, stream, one);
                    } catch (java.io.IOException closed) {
                        break;
                    }
                }
                await().until(() -> client.isClosed() || client.data() == taken + 5);
            }
            assertThat(client.isClosed()).isTrue();
        }
    }

    @Test
    void paddingWithoutContentEndsTheConnection() throws Exception {
        try (RawHttp2 client = new RawHttp2(server.actualPort(), 65_535)) {
            answered(client);
            int stream = client.post("/held");
            client.flood(Http2Frames.MOST_SPARE + ABOUT, RawHttp2.DATA, 8, stream, new byte[] {1, 0});
            await().until(client::isClosed);
            assertThat(client.goAwayError()).isEqualTo(ENHANCE_YOUR_CALM);
        }
    }

    @ParameterizedTest
    @CsvSource({"a window update of zero, 8, 4", "a stream that depends on itself, 2, 5"})
    void resetsThatAClientProvokesEndTheConnection(String name, int type, int length) throws Exception {
        // Each head earns two frames, and each reset costs four.
        int most = Http2Frames.MOST_SPARE / (Http2Frames.PER_RESET - 2);
        try (RawHttp2 client = new RawHttp2(server.actualPort(), 65_535)) {
            client.provoke(most - ABOUT, type, new byte[length]);
            await().until(() -> client.seen(RawHttp2.RST_STREAM) == most - ABOUT);
            client.provoke(2 * ABOUT, type, new byte[length]);
            await().until(client::isClosed);
            assertThat(client.goAwayError()).as(name).isEqualTo(ENHANCE_YOUR_CALM);
            assertThat(client.seen(RawHttp2.RST_STREAM)).isLessThanOrEqualTo(most + ABOUT);
        }
    }

    @Test
    void resetsOfStreamsThatHaveEndedCountToo() throws Exception {
        try (RawHttp2 client = new RawHttp2(server.actualPort(), 65_535)) {
            answered(client);
            client.flood(Http2Frames.MOST_SPARE, RawHttp2.WINDOW_UPDATE, 0, 1, new byte[4]);
            await().until(client::isClosed);
            assertThat(client.seen(RawHttp2.RST_STREAM))
                    .isLessThanOrEqualTo(Http2Frames.MOST_SPARE / Http2Frames.PER_RESET + ABOUT);
        }
    }

    @Test
    void aProperClientMayPingAndAcknowledgeForever() throws Exception {
        byte[] some = ByteBuffer.allocate(4).putInt(5).array();
        try (RawHttp2 client = new RawHttp2(server.actualPort(), 65_535)) {
            for (int i = 1; i <= 150; i++) {
                int stream = client.post("/");
                client.frame(RawHttp2.WINDOW_UPDATE, 0, 0, some);
                client.frame(RawHttp2.DATA, 1, stream, new byte[1]);
                client.frame(RawHttp2.PING, 0, 0, new byte[8]);
                int count = i;
                await().until(() -> client.isClosed() || client.data() == 5 * count);
            }
            for (int i = 0; i < 10; i++) {
                client.flood(50, RawHttp2.PING, 0, 0, new byte[8]);
                int count = 150 + 50 * (i + 1);
                await().until(() -> client.isClosed() || client.seen(RawHttp2.PING) == count);
                tick();
            }
            assertThat(client.isClosed()).isFalse();
        }
    }

    @Test
    void bodiesThatNobodyReadsHaveOneBudgetForAllConnections() throws Exception {
        try (RawHttp2 greedy = new RawHttp2(server.actualPort(), 65_535);
                RawHttp2 modest = new RawHttp2(server.actualPort(), 65_535)) {
            for (int i = 0; i < 4; i++) {
                int stream = greedy.post("/held");
                for (int j = 0; j < 6; j++) {
                    greedy.body(stream, 16_000);
                }
            }
            await().until(() -> greedy.seen(RawHttp2.RST_STREAM) > 0);
            modest.body(modest.post("/held"), 16_000);
            await().until(() -> held.size() == 5);
            answered(modest);
            assertThat(modest.seen(RawHttp2.RST_STREAM)).isZero();
            assertThat(unread.taken()).isLessThanOrEqualTo(300_000 + 2 * 16_384);
            held.forEach(request -> request.response().reset());
            tick();
            assertThat(unread.taken()).isZero();
        }
        await().untilAsserted(() -> assertThat(unread.taken()).isZero());
    }

    /** Each reset asks the caller to send less. */
    @Test
    void bodiesThatKeepComingAlthoughThereIsNoRoomEndTheConnection() throws Exception {
        int most = Http2Frames.MOST_SPARE / (Http2Frames.PER_RESET - 2);
        unread.take(300_000);
        try (RawHttp2 client = new RawHttp2(server.actualPort(), 65_535)) {
            int streams = 0;
            while (streams < 2 * most && !client.isClosed()) {
                streams++;
                for (int i = 0, stream = client.post("/held"); i < 2 && client.body(stream, 16_000); i++) {
                    // the second piece is more than one frame
                }
                int sent = streams;
                await().until(() -> client.isClosed() || client.seen(RawHttp2.RST_STREAM) >= sent);
            }
            assertThat(client.isClosed()).isTrue();
            assertThat(client.goAwayError()).isEqualTo(ENHANCE_YOUR_CALM);
            assertThat(streams).isBetween(most - ABOUT, most + ABOUT);
        } finally {
            unread.give(300_000);
        }
    }

    @Test
    void aBodyThatIsGoneWithItsConnectionIsNotCounted() throws Exception {
        try (RawHttp2 client = new RawHttp2(server.actualPort(), 65_535)) {
            client.body(client.post("/held"), 16_000);
            await().until(() -> unread.taken() == 16_000);
        }
        await().until(() -> unread.taken() == 0);
    }

    /** Waits until everything that was sent has been read, and until the client has acknowledged the server's settings. */
    private static void answered(RawHttp2 client) throws Exception {
        int before = client.data();
        client.get("/");
        await().until(() -> client.isClosed() || client.data() == before + 5);
    }

    private void tick() throws Exception {
        CompletableFuture<Void> ticked = new CompletableFuture<>();
        loop.get().runOnContext(now -> {
            connections.tick();
            ticked.complete(null);
        });
        ticked.get(60, TimeUnit.SECONDS);
    }
}
