package io.sluice.node.gateway.chain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.node.RawHttp2;
import io.sluice.node.gateway.RawClient;
import io.sluice.node.gateway.RawUpstream;
import io.sluice.node.gateway.TestGateway;
import io.sluice.node.gateway.config.GatewaySettings;
import io.sluice.node.transport.Arrivals;
import io.sluice.node.transport.ClientConnections;
import io.sluice.testkit.process.SelfSigned;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.http.StreamResetException;
import io.vertx.core.net.ClientSSLOptions;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** HTTP/2 on either side and on both. */
@Timeout(300)
class GatewayHttp2Test {

    private final Vertx vertx = Vertx.vertx();
    private final HttpClient client = vertx.createHttpClient(
            new HttpClientOptions().setProtocolVersion(HttpVersion.HTTP_2).setHttp2ClearTextUpgrade(false));

    @AfterEach
    void stop() throws Exception {
        get(vertx.close());
    }

    private static <T> T get(Future<T> future) throws Exception {
        return future.toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    /** Asks for the body on the event loop, at once: a body that arrives before anybody asks for it is lost. */
    private static Future<Buffer> bodyOf(HttpClientRequest request) {
        return request.send().compose(HttpClientResponse::body);
    }

    private URI upstream(io.vertx.core.Handler<HttpServerRequest> handler) throws Exception {
        HttpServer server = get(vertx.createHttpServer().requestHandler(handler).listen(0, "127.0.0.1"));
        return URI.create("http://127.0.0.1:" + server.actualPort());
    }

    private Future<HttpClientRequest> request(TestGateway gateway, HttpMethod method) {
        return client.request(new RequestOptions()
                .setMethod(method)
                .setHost("127.0.0.1")
                .setPort(gateway.port())
                .setURI("/x?y"));
    }

    @Test
    void echoesOverEveryPairOfVersions() throws Exception {
        AtomicInteger http2 = new AtomicInteger();
        URI origin = upstream(request -> {
            http2.addAndGet(request.version() == HttpVersion.HTTP_2 ? 1 : 0);
            request.body().onSuccess(body -> request.response()
                    .putHeader("x-saw", request.authority() + " " + request.uri() + " " + request.getHeader("te"))
                    .putHeader("x-cookies", String.join("|", request.headers().getAll("cookie")))
                    .putHeader("x-length", String.valueOf(request.getHeader("content-length")))
                    .end(body));
        });
        for (boolean upstreamHttp2 : new boolean[] {false, true}) {
            http2.set(0);
            try (TestGateway gateway = new TestGateway(wishes -> wishes.http2 = upstreamHttp2, origin)) {
                HttpClientResponse answer =
                        get(request(gateway, HttpMethod.POST).compose(request -> {
                            request.headers()
                                    .add("cookie", "a=1")
                                    .add("cookie", "b=2")
                                    .set("te", "trailers");
                            return request.send(Buffer.buffer("hello"))
                                    .compose(response -> response.body().map(body -> {
                                        assertThat(body).hasToString("hello");
                                        return response;
                                    }));
                        }));
                assertThat(answer.version()).isEqualTo(HttpVersion.HTTP_2);
                assertThat(answer.getHeader("x-saw")).isEqualTo("127.0.0.1:" + gateway.port() + " /x?y trailers");
                assertThat(answer.getHeader("x-cookies")).isEqualTo("a=1; b=2");
                assertThat(answer.getHeader("x-length")).isEqualTo("5");
                assertThat(http2).hasValue(upstreamHttp2 ? 1 : 0);

                try (RawClient plain = gateway.client()) {
                    plain.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n");
                    assertThat(plain.message()).startsWith("HTTP/1.1 200 ").endsWith("hi");
                }
            }
        }
    }

    @Test
    void aRequestWithoutABodyHasNoneUpstream() throws Exception {
        for (boolean read : new boolean[] {false, true}) {
            try (RawUpstream upstream = RawUpstream.answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi");
                    TestGateway gateway = new TestGateway(
                            wishes -> wishes.before = exchange -> {
                                if (read) {
                                    exchange.incoming().readWhole();
                                }
                            },
                            upstream.origin())) {
                // The first stream of a connection may have begun as HTTP/1.1; the others have not.
                for (int i = 0; i < 3; i++) {
                    assertThat(get(request(gateway, HttpMethod.GET).compose(GatewayHttp2Test::bodyOf)))
                            .hasToString("hi");
                    assertThat(upstream.last())
                            .doesNotContainIgnoringCase("transfer-encoding")
                            .doesNotContainIgnoringCase("content-length");
                }
            }
        }
    }

    @Test
    void trailersOfAnswersPassBothFromChunksAndFromFrames() throws Exception {
        URI origin = upstream(request -> {
            request.response().setChunked(true).putTrailer("x-sum", "7").write("abc");
            request.response().end();
        });
        for (boolean upstreamHttp2 : new boolean[] {false, true}) {
            try (TestGateway gateway = new TestGateway(wishes -> wishes.http2 = upstreamHttp2, origin)) {
                HttpClientResponse answer = get(request(gateway, HttpMethod.GET).compose(request -> request.send()
                        .compose(response -> response.body().map(body -> response))));
                assertThat(answer.getTrailer("x-sum")).isEqualTo("7");
                try (RawClient plain = gateway.client()) {
                    assertThat(plain.send("GET / HTTP/1.1\r\nHost: a\r\nTE: trailers\r\n\r\n")
                                    .message())
                            .endsWith("0\r\nx-sum: 7\r\n\r\n");
                }
                await().untilAsserted(() -> assertThat(gateway.upstreams.said)
                        .containsExactly("answered 200", "over", "answered 200", "over"));
            }
        }
    }

    @Test
    void anAnswerThatBreaksOffResetsTheStreamAndNotTheConnection() throws Exception {
        try (RawUpstream upstream = new RawUpstream(caller -> {
                    caller.head();
                    caller.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc");
                });
                TestGateway gateway = TestGateway.to(upstream.origin())) {
            for (int i = 0; i < 2; i++) {
                Future<Buffer> body = request(gateway, HttpMethod.GET).compose(GatewayHttp2Test::bodyOf);
                try {
                    get(body);
                    throw new AssertionError("ended cleanly");
                } catch (ExecutionException e) {
                    assertThat(e.getCause()).isInstanceOf(StreamResetException.class);
                }
            }
        }
    }

    @Test
    void aResetReachesTheUpstream() throws Exception {
        AtomicBoolean gone = new AtomicBoolean();
        AtomicBoolean asked = new AtomicBoolean();
        URI origin = upstream(request -> {
            request.response().closeHandler(closed -> gone.set(true));
            request.response().exceptionHandler(told -> gone.set(true));
            asked.set(true);
        });
        try (TestGateway gateway = new TestGateway(wishes -> wishes.http2 = true, origin)) {
            HttpClientRequest request = get(request(gateway, HttpMethod.GET));
            request.exceptionHandler(told -> {});
            request.end();
            await().untilTrue(asked);
            request.reset(8);
            await().untilTrue(gone);
            await().untilAsserted(() -> assertThat(gateway.upstreams.said).containsExactly("abandoned", "over"));
        }
    }

    @Test
    void aStreamThatWasRefusedUnseenIsTriedElsewhere() throws Exception {
        URI refusing = upstream(request -> request.response().reset(7));
        URI other = upstream(request -> request.response().end("hi"));
        try (TestGateway gateway = new TestGateway(wishes -> wishes.http2 = true, refusing, other);
                RawClient plain = gateway.client()) {
            assertThat(plain.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n").message())
                    .endsWith("hi");
            await().untilAsserted(() ->
                    assertThat(gateway.upstreams.said).containsExactly("failed", "over", "answered 200", "over"));
            gateway.upstreams.said.clear();
            assertThat(get(request(gateway, HttpMethod.GET).compose(GatewayHttp2Test::bodyOf)))
                    .hasToString("hi");
            await().untilAsserted(() ->
                    assertThat(gateway.upstreams.said).containsExactly("failed", "over", "answered 200", "over"));
        }
    }

    @Test
    void speaksTlsToUpstreamsWhoseCertificatesItTrusts(@TempDir Path folder) throws Exception {
        SelfSigned made = new SelfSigned(folder);
        made.make("upstream");
        HttpServer server = get(vertx.createHttpServer(new HttpServerOptions()
                        .setSsl(true)
                        .setUseAlpn(true)
                        .setKeyCertOptions(new PemKeyCertOptions()
                                .setCertPath(made.certificate("upstream").toString())
                                .setKeyPath(made.key("upstream").toString())))
                .requestHandler(
                        request -> request.response().end(request.version().alpnName()))
                .listen(0, "127.0.0.1"));
        URI origin = URI.create("https://127.0.0.1:" + server.actualPort());
        ClientSSLOptions trusted = new ClientSSLOptions()
                .setTrustOptions(new PemTrustOptions()
                        .addCertPath(made.certificate("upstream").toString()));
        for (boolean upstreamHttp2 : new boolean[] {false, true}) {
            try (TestGateway gateway = new TestGateway(
                            wishes -> {
                                wishes.http2 = upstreamHttp2;
                                wishes.tls = Optional.of(trusted);
                            },
                            origin);
                    RawClient client = gateway.client()) {
                assertThat(client.send("GET / HTTP/1.1\r\nHost: other.example\r\n\r\n")
                                .message())
                        .endsWith(upstreamHttp2 ? "h2" : "http/1.1");
            }
        }
        try (TestGateway gateway = TestGateway.to(origin);
                RawClient client = gateway.client()) {
            assertThat(client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n").message())
                    .startsWith("HTTP/1.1 502 ");
        }
    }

    @Test
    void connectionsWithStreamsUnderWayAreNotIdle() throws Exception {
        URI origin = upstream(
                request -> vertx.setTimer(request.path().equals("/slow") ? 2_500 : 1, timer -> request.response()
                        .end("hi")));
        try (TestGateway gateway = new TestGateway(
                wishes -> wishes.settings = settings -> new GatewaySettings(
                        0,
                        Optional.empty(),
                        settings.largestHeadBytes(),
                        Duration.ofSeconds(1),
                        settings.connectTimeout(),
                        settings.drain(),
                        settings.connections()),
                origin)) {
            try (RawHttp2 client = new RawHttp2(gateway.port(), 65_535)) {
                client.get("/quick");
                await().until(() -> client.data() == 2);
                client.get("/slow");
                await().until(() -> client.isClosed() || client.data() == 4);
                assertThat(client.data()).isEqualTo(4);
            }
        }
    }

    @Test
    void headsThatAreTooLargeAreRefused() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        byte[] header = ("\0\3x-a\144" + "a".repeat(100)).getBytes(StandardCharsets.US_ASCII);
        try (TestGateway gateway =
                        new TestGateway(wishes -> wishes.entry = (request, forwarder) -> asked.incrementAndGet());
                RawHttp2 client = new RawHttp2(gateway.port(), 65_535)) {
            int stream = client.unendedHead("/");
            ByteBuffer block = ByteBuffer.allocate(140 * header.length);
            for (int i = 0; i < 140; i++) {
                block.put(header);
            }
            try {
                for (int i = 0; i < 5; i++) {
                    client.moreHead(stream, block.array());
                }
            } catch (IOException closed) {
                assertThat(stream).isPositive();
            }
            await().until(() -> client.isClosed() || client.seen(RawHttp2.HEADERS) > 0);
            assertThat(asked).hasValue(0);
        }
    }

    @Test
    void closingSaysSo() throws Exception {
        try (RawUpstream upstream = RawUpstream.answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi");
                TestGateway gateway = TestGateway.to(upstream.origin());
                RawHttp2 client = new RawHttp2(gateway.port(), 65_535)) {
            client.get("/");
            await().until(() -> client.seen(RawHttp2.DATA) > 0);
            gateway.door.close();
            await().until(client::isClosed);
            assertThat(client.seen(RawHttp2.GOAWAY)).isPositive();
        }
    }

    @Test
    void manyAnswersThatNobodyReadsEndTheConnection() throws Exception {
        ClientConnections connections = new ClientConnections(Arrivals.overBestTransport(), 3_600, 1);
        AtomicInteger ticks = new AtomicInteger();
        HttpServer server = get(vertx.createHttpServer()
                .connectionHandler(connection -> {
                    connections.opened(connection);
                    vertx.setPeriodic(20, timer -> {
                        connections.tick();
                        ticks.incrementAndGet();
                    });
                })
                .requestHandler(request ->
                        connections.asked(request, asked -> asked.response().end("hello")))
                .listen(0, "127.0.0.1"));
        try (RawHttp2 deaf = new RawHttp2(server.actualPort(), 0)) {
            for (int i = 0; i < 16; i++) {
                deaf.get("/");
            }
            int before = ticks.get();
            await().until(() -> ticks.get() > before + 10);
            assertThat(deaf.isClosed()).isFalse();
            deaf.get("/");
            await().until(deaf::isClosed);
        }
    }

    @Test
    void aNewConnectionHasItsTimeToReadHoweverLongTheGatewayRuns() throws Exception {
        ClientConnections connections = new ClientConnections(Arrivals.overBestTransport(), 60, 20);
        for (int i = 0; i < 1_000; i++) {
            connections.tick();
        }
        AtomicReference<Context> loop = new AtomicReference<>();
        HttpServer server = get(vertx.createHttpServer()
                .connectionHandler(connection -> {
                    loop.set(Vertx.currentContext());
                    connections.opened(connection);
                })
                .requestHandler(request ->
                        connections.asked(request, asked -> asked.response().end("hello")))
                .listen(0, "127.0.0.1"));
        try (RawHttp2 slow = new RawHttp2(server.actualPort(), 0)) {
            for (int i = 0; i < 30; i++) {
                slow.get("/");
            }
            await().until(() -> slow.seen(RawHttp2.HEADERS) == 30);
            tick(loop.get(), connections, 20);
            slow.get("/");
            await().until(() -> slow.isClosed() || slow.seen(RawHttp2.HEADERS) == 31);
            assertThat(slow.isClosed()).isFalse();
            tick(loop.get(), connections, 1);
            await().until(slow::isClosed);
        }
    }

    @Test
    void whoReadsSlowlyIsNotCutOffAndWhoStopsIs() throws Exception {
        Arrivals arrivals = Arrivals.overBestTransport();
        Vertx arriving = Vertx.builder().withTransport(arrivals).build();
        ClientConnections connections = new ClientConnections(arrivals, 60, 20);
        AtomicReference<Context> loop = new AtomicReference<>();
        AtomicInteger asked = new AtomicInteger();
        HttpServer server = get(arriving.createHttpServer()
                .connectionHandler(connection -> {
                    loop.set(Vertx.currentContext());
                    connections.opened(connection);
                })
                .requestHandler(request -> {
                    connections.asked(request, next -> next.response().end(Buffer.buffer(new byte[60_000])));
                    asked.incrementAndGet();
                })
                .listen(0, "127.0.0.1"));
        try (RawHttp2 slow = new RawHttp2(server.actualPort(), 65_535)) {
            for (int i = 0; i < 60; i++) {
                slow.get("/");
            }
            await().until(() -> asked.get() == 60 && slow.data() == 65_535);
            for (int i = 1; i <= 20; i++) {
                tick(loop.get(), connections, 15);
                slow.welcome(32_768);
                int expected = 65_535 + i * 32_768;
                await().until(() -> slow.isClosed() || slow.data() == expected);
                assertThat(slow.isClosed()).isFalse();
            }
            tick(loop.get(), connections, 22);
            await().until(slow::isClosed);
        } finally {
            get(arriving.close());
        }
    }

    private static void tick(Context loop, ClientConnections connections, int times) throws Exception {
        CountDownLatch ticked = new CountDownLatch(1);
        loop.runOnContext(now -> {
            for (int i = 0; i < times; i++) {
                connections.tick();
            }
            ticked.countDown();
        });
        assertThat(ticked.await(60, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void connectIsNotOffered() throws Exception {
        try (TestGateway gateway = TestGateway.to();
                RawClient client = gateway.client()) {
            assertThat(client.send("CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n")
                            .message())
                    .startsWith("HTTP/1.1 501 ");
        }
    }

    @Test
    void rapidResetsEndTheConnectionAndNobodyElses() throws Exception {
        AtomicInteger reached = new AtomicInteger();
        try (RawUpstream upstream = new RawUpstream(caller -> {
                    while (!caller.head().isEmpty()) {
                        reached.incrementAndGet();
                        caller.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi");
                    }
                });
                TestGateway gateway = TestGateway.to(upstream.origin());
                RawHttp2 flood = new RawHttp2(gateway.port(), 65_535);
                RawClient client = gateway.client()) {
            int sent = 0;
            try {
                for (; sent < 100_000 && !flood.isClosed(); sent++) {
                    flood.reset(flood.get("/"));
                }
            } catch (IOException closed) {
                assertThat(sent).isPositive();
            }
            await().until(flood::isClosed);
            assertThat(client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n").message())
                    .endsWith("hi");
        }
    }

    @Test
    void headsThatGoOnForeverEndTheConnection() throws Exception {
        try (TestGateway gateway = TestGateway.to();
                RawHttp2 flood = new RawHttp2(gateway.port(), 65_535)) {
            int stream = flood.unendedHead("/");
            try {
                for (int i = 0; i < 100_000 && !flood.isClosed(); i++) {
                    flood.moreHead(stream, new byte[0]);
                }
            } catch (IOException closed) {
                assertThat(stream).isPositive();
            }
            await().until(flood::isClosed);
        }
    }
}
