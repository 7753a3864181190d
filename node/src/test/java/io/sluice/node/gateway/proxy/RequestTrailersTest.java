package io.sluice.node.gateway.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.node.RawHttp2;
import io.sluice.node.gateway.Http2Upstream;
import io.sluice.node.gateway.RawClient;
import io.sluice.node.gateway.RawUpstream;
import io.sluice.node.gateway.RepliesClient;
import io.sluice.node.gateway.RunningGateway;
import io.sluice.node.gateway.TestGateway;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Trailers of requests are dropped: the body arrives completely, and no part of them becomes a header or a request. */
@Timeout(300)
class RequestTrailersTest {

    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";
    private static final String CHUNKS = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n";
    private static final String WHOLE = "\r\n\r\n2\r\nhi\r\n0\r\n\r\n";

    private static TestGateway http2(Http2Upstream upstream) {
        return new TestGateway(wishes -> wishes.http2 = true, upstream.origin());
    }

    @Test
    void areDroppedFromChunksToChunks() throws Exception {
        try (RawUpstream upstream = RawUpstream.answering(OK);
                TestGateway gateway = TestGateway.to(upstream.origin());
                RawClient client = gateway.client()) {
            client.send(
                    CHUNKS
                            + "TE: trailers\r\nTrailer: X-Sum\r\n\r\n2\r\nhi\r\n0\r\nX-Sum: 7\r\nX-More: 8\r\nTrailer: X-Sum\r\n\r\n");
            assertThat(client.message()).endsWith("hi");
            assertThat(upstream.last())
                    .contains("te: trailers\r\n")
                    .doesNotContain("trailer:")
                    .doesNotContain("x-sum")
                    .doesNotContain("x-more")
                    .endsWith(WHOLE);
            client.send("GET /next HTTP/1.1\r\nHost: a\r\n\r\n");
            assertThat(client.message()).endsWith("hi");
            assertThat(upstream.last()).startsWith("GET /next ").doesNotContain("x-sum");
            assertThat(upstream.connections).hasValue(1);
        }
    }

    @Test
    void areDroppedFromChunksToFrames() throws Exception {
        try (Http2Upstream upstream = new Http2Upstream();
                TestGateway gateway = http2(upstream);
                RawClient client = gateway.client()) {
            client.send(CHUNKS + "TE: trailers\r\nTrailer: X-Sum\r\n\r\n2\r\nhi\r\n0\r\nX-Sum: 7\r\n\r\n");
            assertThat(client.message()).startsWith("HTTP/1.1 200 ");
            Http2Upstream.Request request = upstream.next();
            assertThat(request.body()).isEqualTo("hi");
            assertThat(request.blocks()).hasSize(1);
            assertThat(request.blocks().get(0)).containsEntry("te", "trailers").doesNotContainKeys("trailer", "x-sum");
            client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
            assertThat(client.message()).startsWith("HTTP/1.1 200 ");
            request = upstream.next();
            assertThat(request.blocks()).hasSize(1);
            assertThat(request.blocks().get(0)).doesNotContainKey("x-sum");
            await().untilAsserted(() ->
                    assertThat(gateway.upstreams.said).containsExactly("answered 200", "over", "answered 200", "over"));
        }
    }

    @Test
    void areDroppedFromFramesToChunks() throws Exception {
        try (RawUpstream upstream = RawUpstream.answering(OK);
                TestGateway gateway = TestGateway.to(upstream.origin());
                RawHttp2 client = new RawHttp2(gateway.port(), 65_535)) {
            for (int i = 1; i <= 2; i++) {
                int answers = i;
                int stream = client.post("/", "trailer", "x-sum");
                client.body(stream, 3);
                client.trailers(stream, "x-sum", "7", "x-more", "8");
                await().until(() -> client.data() == 2 * answers);
                assertThat(upstream.last())
                        .doesNotContain("trailer")
                        .doesNotContain("x-sum")
                        .doesNotContain("x-more")
                        .endsWith("\r\n\r\n3\r\n\0\0\0\r\n0\r\n\r\n");
            }
            int stream = client.post("/", "content-length", "3");
            client.body(stream, 3);
            client.trailers(stream, "x-sum", "7");
            await().until(() -> client.data() == 6);
            assertThat(upstream.last()).contains("content-length: 3\r\n").endsWith("\r\n\r\n\0\0\0");
            assertThat(upstream.connections).hasValue(1);
        }
    }

    @Test
    void areDroppedFromFramesToFramesEvenWithALengthAndWithoutABody() throws Exception {
        try (Http2Upstream upstream = new Http2Upstream();
                TestGateway gateway = http2(upstream);
                RawHttp2 client = new RawHttp2(gateway.port(), 65_535)) {
            for (String length : List.of("", "3", "0")) {
                int bytes = length.equals("0") ? 0 : 3;
                int stream = length.isEmpty()
                        ? client.post("/", "te", "trailers", "trailer", "x-sum")
                        : client.post("/", "te", "trailers", "content-length", length);
                if (bytes > 0) {
                    client.body(stream, bytes);
                }
                client.trailers(stream, "x-sum", "7", "x-more", "8");
                Http2Upstream.Request request = upstream.next();
                assertThat(request.body()).hasSize(bytes);
                assertThat(request.blocks()).hasSize(1);
                assertThat(request.blocks().get(0))
                        .containsEntry("te", "trailers")
                        .doesNotContainKeys("trailer", "x-sum", "x-more");
            }
            client.trailers(client.post("/"), "x-sum", "9");
            Http2Upstream.Request request = upstream.next();
            assertThat(request.blocks()).hasSize(1);
            assertThat(request.body()).isEmpty();
            await().until(() -> client.seen(RawHttp2.HEADERS) == 4);
            await().untilAsserted(() -> assertThat(gateway.upstreams.said)
                    .containsExactly(
                            "answered 200",
                            "over",
                            "answered 200",
                            "over",
                            "answered 200",
                            "over",
                            "answered 200",
                            "over"));
        }
    }

    @Test
    void aBodyThatExceedsItsLengthIsNotCompletedInFrames() throws Exception {
        try (Http2Upstream upstream = new Http2Upstream();
                TestGateway gateway = http2(upstream);
                RawHttp2 client = new RawHttp2(gateway.port(), 65_535)) {
            int stream = client.post("/long", "content-length", "3");
            client.body(stream, 3);
            client.body(stream, 1);
            await().until(() -> client.seen(RawHttp2.RST_STREAM) == 1);
            client.get("/next");
            assertThat(upstream.next().blocks().get(0)).containsEntry(":path", "/next");
        }
    }

    @Test
    void consecutiveRequestsAreToldApart() throws Exception {
        try (RawUpstream upstream = RawUpstream.answering(OK);
                TestGateway gateway = TestGateway.to(upstream.origin());
                RawClient client = gateway.client()) {
            StringBuilder all = new StringBuilder();
            for (int i = 0; i < 100; i++) {
                String trailer = i % 3 == 0 ? "X-Sum: " + i + "\r\n" : "";
                all.append(
                        i % 5 == 0
                                ? "GET /" + i + " HTTP/1.1\r\nHost: a\r\n\r\n"
                                : CHUNKS + "X-I: " + i + "\r\n\r\n2\r\nhi\r\n0\r\n" + trailer + "\r\n");
            }
            client.send(all.toString());
            for (int i = 0; i < 100; i++) {
                assertThat(client.message()).endsWith("hi");
                String request = upstream.heads.get(i);
                assertThat(request).doesNotContain("x-sum");
                if (i % 5 == 0) {
                    assertThat(request).startsWith("GET /" + i + " ");
                } else {
                    assertThat(request).contains("x-i: " + i + "\r\n").endsWith(WHOLE);
                }
            }
        }
    }

    @Test
    void noneReplacesOrAddsAHeader() throws Exception {
        String trailers = String.join(
                "\r\n",
                "Host: evil",
                "Content-Length: 5",
                "Transfer-Encoding: chunked",
                "Trailer: evil",
                "Connection: close",
                "Upgrade: websocket",
                "Authorization: evil",
                "Cookie: evil",
                "X-Forwarded-For: evil",
                "X-Real-IP: evil",
                "Forwarded: for=evil",
                "Via: evil",
                "X-HTTP-Method-Override: evil",
                "X-Request-Id: evil",
                "X-Named: evil",
                "X-Twice: evil",
                "X-Key: evil",
                "X-User: evil",
                "X-New: evil",
                "");
        for (boolean http2 : List.of(false, true)) {
            try (RawUpstream plain = RawUpstream.answering(OK);
                    Http2Upstream frames = new Http2Upstream();
                    TestGateway gateway = new TestGateway(
                            wishes -> {
                                wishes.http2 = http2;
                                wishes.before = exchange -> {
                                    exchange.withhold("x-key");
                                    exchange.forwardHeaders().set("X-User", "nobody");
                                };
                            },
                            http2 ? frames.origin() : plain.origin());
                    RawClient client = gateway.client()) {
                client.send(CHUNKS
                        + "Connection: X-Named\r\nX-Twice: one\r\nTrailer: X-Named, Host, X-User, X-New\r\n\r\n2\r\nhi\r\n0\r\n"
                        + trailers
                        + "\r\n");
                assertThat(client.message()).startsWith("HTTP/1.1 200 ");
                if (http2) {
                    Http2Upstream.Request request = frames.next();
                    assertThat(request.blocks()).hasSize(1);
                    assertThat(request.blocks().get(0))
                            .containsEntry(":authority", "a")
                            .containsEntry("x-twice", "one")
                            .containsEntry("x-user", "nobody")
                            .doesNotContainKeys("trailer", "x-new", "x-key", "x-named");
                    assertThat(request.toString()).doesNotContain("evil");
                    assertThat(request.body()).isEqualTo("hi");
                } else {
                    assertThat(plain.last())
                            .contains("host: a\r\n", "x-twice: one\r\n")
                            .containsIgnoringCase("x-user: nobody\r\n")
                            .doesNotContain("evil", "x-new", "content-length", "trailer")
                            .endsWith(WHOLE);
                }
                client.send("GET /next HTTP/1.1\r\nHost: a\r\n\r\n");
                assertThat(client.message()).startsWith("HTTP/1.1 200 ");
            }
        }
    }

    @Test
    void aRequestInPlaceOfTrailersIsNotRead() throws Exception {
        try (RawUpstream upstream = RawUpstream.answering(OK);
                TestGateway gateway = TestGateway.to(upstream.origin());
                RawClient client = gateway.client()) {
            client.send(CHUNKS
                    + "\r\n2\r\nhi\r\n0\r\nGET /smuggled HTTP/1.1\r\nHost: evil\r\n\r\n"
                    + "GET /next HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
            client.rest();
            for (String request : upstream.heads) {
                assertThat(request).doesNotContain("smuggled").doesNotContain("evil");
            }
        }
    }

    @Test
    void rulesDoNotSeeThem(@TempDir Path folder) throws Exception {
        String rules = """
                rules:
                  - { id: by-user, limits: [{ by: json.user, limit: 100, window: 1h }] }
                  - { id: by-phone, match: { header.x-phone: "1" }, action: deny }
                """;
        try (RawUpstream upstream = RawUpstream.answering(OK);
                RunningGateway gateway =
                        RunningGateway.start(folder, rules, upstream.origin().toString());
                RepliesClient client = new RepliesClient(gateway.port())) {
            client.write(
                    CHUNKS
                            + "Content-Type: application/json\r\n\r\nc\r\n{\"user\":\"a\"}\r\n0\r\nX-Sum: 7\r\nX-Phone: 1\r\n\r\n");
            assertThat(client.read().status()).isEqualTo(200);
            assertThat(upstream.last())
                    .doesNotContain("x-phone")
                    .doesNotContain("x-sum")
                    .endsWith("{\"user\":\"a\"}\r\n0\r\n\r\n");
        }
    }

    @Test
    void manyTrailersDoNoHarmAndHugeOnesEndTheConnection() throws Exception {
        try (RawUpstream upstream = RawUpstream.answering(OK);
                TestGateway gateway = TestGateway.to(upstream.origin())) {
            try (RawClient client = gateway.client()) {
                client.send(CHUNKS + "\r\n2\r\nhi\r\n0\r\n" + "X-A: b\r\n".repeat(200) + "\r\n");
                assertThat(client.message()).endsWith("hi");
                assertThat(upstream.last()).doesNotContain("x-a").endsWith(WHOLE);
            }
            try (RawClient client = gateway.client()) {
                client.send(CHUNKS + "\r\n2\r\nhi\r\n0\r\nX-A: " + "b".repeat(40_000) + "\r\n\r\n");
                assertThat(client.isClosed()).isTrue();
            }
            assertThat(upstream.heads).hasSize(1);
        }
    }
}
