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
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Trailers of requests, from chunks and frames to chunks and frames. */
@Timeout(300)
class SentTrailersTest {

    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";
    private static final String CHUNKS = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n";

    private static TestGateway http2(Http2Upstream upstream) {
        return new TestGateway(wishes -> wishes.http2 = true, upstream.origin());
    }

    private static int sendFrames(RawHttp2 client) throws Exception {
        int stream = client.post("/");
        client.body(stream, 3);
        client.trailers(stream, "x-sum", "7", "x-more", "8");
        return stream;
    }

    @Test
    void passFromChunksToChunks() throws Exception {
        try (RawUpstream upstream = RawUpstream.answering(OK);
                TestGateway gateway = TestGateway.to(upstream.origin());
                RawClient client = gateway.client()) {
            client.send(CHUNKS + "Trailer: X-Sum, Host\r\n\r\n2\r\nhi\r\n0\r\nX-Sum: 7\r\nX-More: 8\r\n\r\n");
            assertThat(client.message()).endsWith("hi");
            assertThat(upstream.last()).contains("trailer: x-sum\r\n").endsWith("0\r\nx-sum: 7\r\nx-more: 8\r\n\r\n");
        }
    }

    @Test
    void passFromChunksToFrames() throws Exception {
        try (Http2Upstream upstream = new Http2Upstream();
                TestGateway gateway = http2(upstream);
                RawClient client = gateway.client()) {
            client.send(CHUNKS + "Trailer: X-Sum\r\n\r\n2\r\nhi\r\n0\r\nX-Sum: 7\r\n\r\n");
            assertThat(client.message()).startsWith("HTTP/1.1 200 ");
            Http2Upstream.Request request = upstream.next();
            assertThat(request.body()).isEqualTo("hi");
            assertThat(request.blocks()).hasSize(2);
            assertThat(request.blocks().get(0)).containsEntry("trailer", "x-sum");
            assertThat(request.blocks().get(1)).isEqualTo(Map.of("x-sum", "7"));
            client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
            assertThat(client.message()).startsWith("HTTP/1.1 200 ");
            assertThat(upstream.next().blocks()).hasSize(1);
            await().untilAsserted(() ->
                    assertThat(gateway.upstreams.said).containsExactly("answered 200", "over", "answered 200", "over"));
        }
    }

    @Test
    void passFromFramesToChunks() throws Exception {
        try (RawUpstream upstream = RawUpstream.answering(OK);
                TestGateway gateway = TestGateway.to(upstream.origin());
                RawHttp2 client = new RawHttp2(gateway.port(), 65_535)) {
            sendFrames(client);
            await().until(() -> client.data() == 2);
            assertThat(upstream.last()).endsWith("0\r\nx-sum: 7\r\nx-more: 8\r\n\r\n");
        }
    }

    @Test
    void passFromFramesToFramesAlsoWithoutABody() throws Exception {
        try (Http2Upstream upstream = new Http2Upstream();
                TestGateway gateway = http2(upstream);
                RawHttp2 client = new RawHttp2(gateway.port(), 65_535)) {
            sendFrames(client);
            Http2Upstream.Request request = upstream.next();
            assertThat(request.blocks().get(1)).isEqualTo(Map.of("x-sum", "7", "x-more", "8"));
            assertThat(request.body()).hasSize(3);
            client.trailers(client.post("/"), "x-sum", "9");
            request = upstream.next();
            assertThat(request.blocks()).hasSize(2);
            assertThat(request.blocks().get(1)).isEqualTo(Map.of("x-sum", "9"));
            assertThat(request.body()).isEmpty();
            await().until(() -> client.seen(RawHttp2.HEADERS) == 2);
            await().untilAsserted(() ->
                    assertThat(gateway.upstreams.said).containsExactly("answered 200", "over", "answered 200", "over"));
        }
    }

    @Test
    void areThoseOfTheirOwnRequestAmongMany() throws Exception {
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
                if (i % 5 == 0) {
                    assertThat(request).startsWith("GET /" + i + " ").doesNotContain("x-sum");
                } else if (i % 3 == 0) {
                    assertThat(request).contains("x-i: " + i + "\r\n").endsWith("0\r\nx-sum: " + i + "\r\n\r\n");
                } else {
                    assertThat(request).contains("x-i: " + i + "\r\n").endsWith("\r\n0\r\n\r\n");
                }
            }
        }
    }

    @Test
    void whatCouldNotBeSentOnAsAHeaderIsNotSentOnAsATrailer() throws Exception {
        String forbidden = String.join(
                "\r\n",
                "Host: evil",
                "Content-Length: 5",
                "Transfer-Encoding: chunked",
                "Trailer: x",
                "Connection: close",
                "Keep-Alive: 1",
                "TE: trailers",
                "Upgrade: websocket",
                "Authorization: Bearer x",
                "Proxy-Authorization: x",
                "Cookie: a=1",
                "Content-Type: text/html",
                "Content-Encoding: gzip",
                "Expect: 100-continue",
                "Range: bytes=1-",
                "X-Forwarded-For: 1.2.3.4",
                "X-Real-IP: 1.2.3.4",
                "Forwarded: for=1.2.3.4",
                "Via: x",
                "X-HTTP-Method-Override: DELETE",
                "X_Under: x",
                "X-Request-Id: mine",
                "X-Named: x",
                "X-Twice: other",
                "X-Key: secret",
                "X-User: admin",
                "X-Sum: 7",
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
                        + "Connection: X-Named\r\nX-Twice: one\r\nTrailer: X-Named, Host, X-User, X-Sum\r\n\r\n2\r\nhi\r\n0\r\n"
                        + forbidden
                        + "\r\n");
                assertThat(client.message()).startsWith("HTTP/1.1 200 ");
                if (http2) {
                    Http2Upstream.Request request = frames.next();
                    assertThat(request.blocks().get(0)).containsEntry("trailer", "x-sum");
                    assertThat(request.blocks().get(1)).isEqualTo(Map.of("x-sum", "7"));
                } else {
                    assertThat(plain.last()).contains("trailer: x-sum\r\n").endsWith("\r\n0\r\nx-sum: 7\r\n\r\n");
                }
            }
        }
    }

    @Test
    void withALengthThereIsNoPlaceForThemInHttp1() throws Exception {
        try (RawUpstream upstream = RawUpstream.answering(OK);
                TestGateway gateway = TestGateway.to(upstream.origin());
                RawClient client = gateway.client()) {
            client.send("POST / HTTP/1.1\r\nHost: a\r\nTrailer: X-Sum\r\nContent-Length: 2\r\n\r\nhi");
            assertThat(client.message()).endsWith("hi");
            assertThat(upstream.last()).doesNotContain("trailer").endsWith("\r\n\r\nhi");
        }
    }

    @Test
    void passAfterABodyThatRulesLookedIntoButNotWhatTheyCountBy(@TempDir Path folder) throws Exception {
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
            assertThat(upstream.last()).endsWith("{\"user\":\"a\"}\r\n0\r\nx-sum: 7\r\n\r\n");
        }
    }

    @Test
    void manyAreCutShortAndHugeOnesEndTheConnection() throws Exception {
        try (RawUpstream upstream = RawUpstream.answering(OK);
                TestGateway gateway = TestGateway.to(upstream.origin())) {
            try (RawClient client = gateway.client()) {
                client.send(CHUNKS + "\r\n2\r\nhi\r\n0\r\n" + "X-A: b\r\n".repeat(200) + "\r\n");
                assertThat(client.message()).endsWith("hi");
                assertThat(upstream.last().split("x-a: b\r\n", -1)).hasSize(65);
            }
            try (RawClient client = gateway.client()) {
                client.send(CHUNKS + "\r\n2\r\nhi\r\n0\r\nX-A: " + "b".repeat(40_000) + "\r\n\r\n");
                assertThat(client.isClosed()).isTrue();
            }
            assertThat(upstream.heads).hasSize(1);
        }
    }
}
