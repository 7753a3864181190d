package io.sluice.node.gateway.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.http.request.ForwardingHeader;
import io.sluice.node.gateway.RawClient;
import io.sluice.node.gateway.RawUpstream;
import io.sluice.node.gateway.TestGateway;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a request becomes when it is forwarded, and its answer on the way back. */
@Timeout(300)
class ForwardingTest {

    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";

    @Test
    void forwardsMethodTargetHostAndHeadersUnchanged() throws Exception {
        try (RawUpstream upstream = RawUpstream.answering(OK);
                TestGateway gateway = TestGateway.to(upstream.origin());
                RawClient client = gateway.client()) {
            client.send(RawClient.lines(
                    "PROPFIND /a%2Fb/../c;x=1?q=%20&& HTTP/1.1",
                    "Host: shop.example:99", "X-A: 1", "X-A: 2", "Accept-Encoding: gzip"));

            assertThat(client.message()).startsWith("HTTP/1.1 200 OK\r\n").endsWith("\r\n\r\nhi");
            assertThat(upstream.last())
                    .startsWith("PROPFIND /a%2Fb/../c;x=1?q=%20&& HTTP/1.1\r\n")
                    .containsOnlyOnce("\r\nhost: shop.example:99\r\n")
                    .contains("x-a: 1\r\n", "x-a: 2\r\n", "accept-encoding: gzip\r\n")
                    .doesNotContainIgnoringCase("transfer-encoding")
                    .doesNotContainIgnoringCase("content-length");
            await().untilAsserted(() -> assertThat(gateway.upstreams.said).containsExactly("answered 200", "over"));
        }
    }

    @Test
    void removesHopByHopHeadersInBothDirectionsIncludingThoseNamedByConnection() throws Exception {
        try (RawUpstream upstream = RawUpstream.answering(RawClient.lines(
                        "HTTP/1.1 200 OK",
                        "Content-Length: 0",
                        "Connection: X-Mine",
                        "X-Mine: 1",
                        "Keep-Alive: timeout=5",
                        "Proxy-Authenticate: Basic",
                        "Upgrade: h2c",
                        "X-Stays: 1"));
                TestGateway gateway = TestGateway.to(upstream.origin());
                RawClient client = gateway.client()) {
            client.send(RawClient.lines(
                    "GET / HTTP/1.1",
                    "Host: a",
                    "Connection: keep-alive, X-Secret",
                    "Connection: x-other",
                    "X-Secret: 1",
                    "X-Other: 1",
                    "Keep-Alive: 1",
                    "Proxy-Authorization: x",
                    "Proxy-Connection: x",
                    "TE: gzip",
                    "Upgrade: other",
                    "HTTP2-Settings: x",
                    "Trailer: x",
                    "X-Stays: 1"));

            assertThat(client.message())
                    .contains("x-stays: 1\r\n")
                    .doesNotContainIgnoringCase("x-mine")
                    .doesNotContainIgnoringCase("keep-alive")
                    .doesNotContainIgnoringCase("proxy-")
                    .doesNotContainIgnoringCase("upgrade");
            assertThat(upstream.last())
                    .contains("x-stays: 1\r\n")
                    .doesNotContainIgnoringCase("x-secret")
                    .doesNotContainIgnoringCase("x-other")
                    .doesNotContainIgnoringCase("keep-alive")
                    .doesNotContainIgnoringCase("proxy-")
                    .doesNotContainIgnoringCase("\r\nte:")
                    .doesNotContainIgnoringCase("upgrade")
                    .doesNotContainIgnoringCase("http2-settings")
                    .doesNotContainIgnoringCase("trailer");
        }
    }

    @Test
    void connectionCannotRemoveHeadersThatTheGatewayWrites() throws Exception {
        try (RawUpstream upstream = RawUpstream.answering(OK);
                TestGateway gateway = TestGateway.to(upstream.origin());
                RawClient client = gateway.client()) {
            client.send(RawClient.lines(
                            "POST / HTTP/1.1",
                            "Host: a",
                            "Connection: X-Forwarded-For, Host, Content-Length, X-Request-Id",
                            "Content-Length: 3")
                    + "abc");
            client.message();

            assertThat(upstream.last())
                    .contains(
                            "x-forwarded-for: 127.0.0.1\r\n", "host: a\r\n", "content-length: 3\r\n", "x-request-id: ")
                    .endsWith("\r\n\r\nabc");
        }
    }

    /** Uses an address that a machine without IPv6 can reach, too. */
    @Test
    void reachesUpstreamsByTheirIpv6Address() throws Exception {
        Vertx vertx = Vertx.vertx();
        HttpServer server = vertx.createHttpServer()
                .requestHandler(request -> request.response()
                        .end(request.version() + " " + request.authority() + " "
                                + request.localAddress().port()))
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .get(60, TimeUnit.SECONDS);
        URI origin = URI.create("http://[::ffff:7f00:1]:" + server.actualPort());
        for (boolean http2 : new boolean[] {false, true}) {
            try (TestGateway gateway = new TestGateway(wishes -> wishes.http2 = http2, origin);
                    RawClient client = gateway.client()) {
                assertThat(client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n").message())
                        .endsWith((http2 ? "HTTP_2" : "HTTP_1_1") + " a " + server.actualPort());
            }
        }
        vertx.close().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    @Test
    void neverForwardsOverridesOfMethodOrPathNorNamesWithUnderscores() throws Exception {
        try (RawUpstream upstream = RawUpstream.answering(OK);
                TestGateway gateway = new TestGateway(
                        wishes -> wishes.believed = List.of(ForwardingHeader.X_FORWARDED_FOR), upstream.origin());
                RawClient client = gateway.client()) {
            client.send(RawClient.lines(
                    "GET / HTTP/1.1",
                    "Host: a",
                    "X-Original-URL: /admin",
                    "X-Rewrite-URL: /admin",
                    "X-HTTP-Method-Override: DELETE",
                    "X-HTTP-Method: DELETE",
                    "X-Method-Override: DELETE",
                    "X_Forwarded_For: 1.2.3.4"));
            client.message();

            assertThat(upstream.last().toLowerCase(Locale.ROOT))
                    .doesNotContain("delete")
                    .doesNotContain("admin")
                    .doesNotContain("1.2.3.4");
        }
    }

    @Test
    void replacesForwardedHeadersFromUntrustedSenders() throws Exception {
        try (RawUpstream upstream = RawUpstream.answering(OK);
                TestGateway gateway = TestGateway.to(upstream.origin());
                RawClient client = gateway.client()) {
            client.send(RawClient.lines(
                    "GET / HTTP/1.1",
                    "Host: shop.example:8080",
                    "X-Forwarded-For: 6.6.6.6",
                    "Forwarded: for=6.6.6.6",
                    "X-Forwarded-Proto: https",
                    "X-Forwarded-Host: evil",
                    "X-Forwarded-Port: 1",
                    "X-Forwarded-Prefix: /evil",
                    "X-Real-IP: 6.6.6.6",
                    "True-Client-IP: 6.6.6.6",
                    "X-Client-IP: 6.6.6.6",
                    "X-Cluster-Client-IP: 6.6.6.6",
                    "X-Request-Id: mine"));
            String answer = client.message();

            assertThat(upstream.last())
                    .contains("x-forwarded-for: 127.0.0.1\r\n")
                    .contains("x-forwarded-proto: http\r\n")
                    .contains("x-forwarded-host: shop.example:8080\r\n")
                    .contains("x-forwarded-port: " + gateway.port() + "\r\n")
                    .contains("forwarded: for=127.0.0.1;host=\"shop.example:8080\";proto=http\r\n")
                    .contains("via: 1.1 sluice\r\n")
                    .contains("x-request-id: id-1\r\n")
                    .doesNotContain("6.6.6.6")
                    .doesNotContain("evil")
                    .doesNotContain("mine");
            assertThat(answer).contains("x-request-id: id-1\r\n");
        }
    }

    @Test
    void extendsForwardedHeadersFromTrustedProxies() throws Exception {
        try (RawUpstream upstream = RawUpstream.answering(OK);
                TestGateway gateway = new TestGateway(
                        wishes ->
                                wishes.believed = List.of(ForwardingHeader.X_FORWARDED_FOR, ForwardingHeader.FORWARDED),
                        upstream.origin());
                RawClient client = gateway.client()) {
            client.send(RawClient.lines(
                    "GET / HTTP/1.1",
                    "Host: a",
                    "X-Forwarded-For: 203.0.113.7",
                    "X-Forwarded-For: 10.0.0.1",
                    "Forwarded: for=\"[2001:db8::1]\"",
                    "X-Forwarded-Proto: https",
                    "X-Forwarded-Host: shop.example",
                    "X-Forwarded-Port: 443",
                    "X-Forwarded-Prefix: /p",
                    "Via: 1.1 other"));
            client.message();

            assertThat(upstream.last())
                    .contains("x-forwarded-for: 203.0.113.7, 10.0.0.1, 127.0.0.1\r\n")
                    .contains("forwarded: for=\"[2001:db8::1]\", for=127.0.0.1;host=a;proto=http\r\n")
                    .contains("x-forwarded-proto: https\r\n", "x-forwarded-host: a\r\n")
                    .contains(
                            "x-forwarded-port: 443\r\n",
                            "x-forwarded-prefix: /p\r\n",
                            "via: 1.1 other, 1.1 sluice\r\n");
        }
    }

    @Test
    void headersThatATrustedProxyMayHavePassedThroughAreNotTrusted() throws Exception {
        try (RawUpstream upstream = RawUpstream.answering(OK);
                TestGateway gateway = new TestGateway(
                        wishes -> wishes.believed = List.of(ForwardingHeader.X_FORWARDED_FOR), upstream.origin());
                RawClient client = gateway.client()) {
            client.send(RawClient.lines(
                    "GET / HTTP/1.1",
                    "Host: a",
                    "X-Forwarded-For: 203.0.113.7",
                    "Forwarded: for=6.6.6.6;host=evil;proto=https",
                    "X-Real-IP: 6.6.6.6",
                    "X-Forwarded-Host: evil"));
            client.message();

            assertThat(upstream.last())
                    .contains("x-forwarded-for: 203.0.113.7, 127.0.0.1\r\n", "x-forwarded-host: a\r\n")
                    .contains("forwarded: for=127.0.0.1;host=a;proto=http\r\n")
                    .doesNotContain("6.6.6.6", "evil");
        }
    }

    @Test
    void handlersSetHeadersInBothDirectionsAndWithholdSome() throws Exception {
        try (RawUpstream upstream =
                        RawUpstream.answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-B: theirs\r\n\r\n");
                TestGateway gateway = new TestGateway(
                        wishes -> wishes.before = exchange -> {
                            exchange.forwardHeaders().set("X-A", "ours");
                            exchange.forwardHeaders().set("Content-Length", "99");
                            exchange.answerHeaders().set("X-B", "ours");
                            exchange.withhold("x-api-key");
                        },
                        upstream.origin());
                RawClient client = gateway.client()) {
            client.send("GET / HTTP/1.1\r\nHost: a\r\nX-A: theirs\r\nX-Api-Key: secret\r\n\r\n");

            assertThat(client.message()).containsIgnoringCase("x-b: ours\r\n").doesNotContain("theirs");
            assertThat(upstream.last())
                    .containsIgnoringCase("x-a: ours\r\n")
                    .doesNotContain("theirs")
                    .doesNotContain("secret")
                    .doesNotContain(": 99\r\n");
        }
    }

    @Test
    void keepsLengthsAndChunksAndConnections() throws Exception {
        try (RawUpstream upstream = RawUpstream.answering(OK);
                TestGateway gateway = TestGateway.to(upstream.origin());
                RawClient client = gateway.client()) {
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello")
                    .message();
            assertThat(upstream.last()).contains("content-length: 5\r\n").endsWith("\r\n\r\nhello");
            client.send(
                            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n")
                    .message();
            assertThat(upstream.last())
                    .containsIgnoringCase("transfer-encoding: chunked\r\n")
                    .doesNotContainIgnoringCase("content-length")
                    .contains("he", "llo")
                    .endsWith("0\r\n\r\n");
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
                    .message();
            assertThat(upstream.last()).contains("content-length: 0\r\n");
            assertThat(upstream.connections).hasValue(1);
        }
    }

    @Test
    void theKeptPartOfTheBodyIsSentFirst() throws Exception {
        try (RawUpstream upstream = RawUpstream.answering(OK);
                TestGateway gateway = new TestGateway(
                        wishes -> wishes.before = exchange -> {
                            exchange.incoming().keep(Buffer.buffer("hel"));
                            exchange.incoming().keep(Buffer.buffer("lo"));
                            exchange.incoming().readWhole();
                        },
                        upstream.origin());
                RawClient client = gateway.client()) {
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n");
            client.message();
            assertThat(upstream.last()).contains("content-length: 5\r\n").endsWith("\r\n\r\nhello");
        }
    }

    @Test
    void forwardsChunkedAnswersWithTheirTrailers() throws Exception {
        try (RawUpstream upstream = RawUpstream.answering(
                        RawClient.lines("HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "Trailer: X-Sum")
                                + "3\r\nabc\r\n0\r\nX-Sum: 7\r\nContent-Length: 9\r\n\r\n");
                TestGateway gateway = TestGateway.to(upstream.origin());
                RawClient client = gateway.client()) {
            client.send("GET / HTTP/1.1\r\nHost: a\r\nTE: trailers\r\n\r\n");

            assertThat(client.message())
                    .contains("trailer: X-Sum\r\n", "3\r\nabc\r\n")
                    .endsWith("0\r\nx-sum: 7\r\n\r\n");
            assertThat(upstream.last()).contains("te: trailers\r\n", "connection: TE\r\n");
        }
    }

    @Test
    void headAndEmptyAnswersHaveNoBodyAndKeepTheConnection() throws Exception {
        String[] answers = {
            "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n",
            "HTTP/1.1 204 No Content\r\n\r\n",
            "HTTP/1.1 304 Not Modified\r\nContent-Length: 1000\r\nETag: x\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
        };
        try (RawUpstream upstream = new RawUpstream(caller -> {
                    for (String answer : answers) {
                        caller.message();
                        caller.send(answer);
                    }
                });
                TestGateway gateway = TestGateway.to(upstream.origin());
                RawClient client = gateway.client()) {
            assertThat(client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n").head()).contains("content-length: 1000\r\n");
            assertThat(client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n").head())
                    .startsWith("HTTP/1.1 204 ")
                    .doesNotContainIgnoringCase("content-length")
                    .doesNotContainIgnoringCase("transfer-encoding");
            assertThat(client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n").head())
                    .startsWith("HTTP/1.1 304 ")
                    .doesNotContainIgnoringCase("transfer-encoding");
            assertThat(client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n").head())
                    .startsWith("HTTP/1.1 200 ")
                    .contains("content-length: 0\r\n");
            assertThat(upstream.connections).hasValue(1);
        }
    }

    @Test
    void eventsAreForwardedAtOnceAndTheHeadBeforeThem() throws Exception {
        CountDownLatch headSeen = new CountDownLatch(1);
        CountDownLatch firstSeen = new CountDownLatch(1);
        try (RawUpstream upstream = new RawUpstream(caller -> {
                    caller.head();
                    caller.send(
                            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n");
                    headSeen.await();
                    caller.send("8\r\ndata: 1\n\r\n");
                    firstSeen.await();
                    caller.send("8\r\ndata: 2\n\r\n0\r\n\r\n");
                    caller.head();
                });
                TestGateway gateway = TestGateway.to(upstream.origin());
                RawClient client = gateway.client()) {
            client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
            assertThat(client.head()).contains("content-type: text/event-stream\r\n");
            headSeen.countDown();
            assertThat(client.read(13)).isEqualTo("8\r\ndata: 1\n\r\n");
            firstSeen.countDown();
            assertThat(client.read(18)).isEqualTo("8\r\ndata: 2\n\r\n0\r\n\r\n");
        }
    }

    @Test
    void expectContinueIsForwardedAndItsAnswerPassedOn() throws Exception {
        try (RawUpstream upstream = new RawUpstream(caller -> {
                    String head = caller.head();
                    caller.send(head.contains("expect: 100-continue") ? "HTTP/1.1 100 Continue\r\n\r\n" : "");
                    caller.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n" + caller.read(5));
                    caller.head();
                });
                TestGateway gateway = TestGateway.to(upstream.origin());
                RawClient client = gateway.client()) {
            client.send("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
            assertThat(client.head()).isEqualTo("HTTP/1.1 100 Continue\r\n\r\n");
            assertThat(client.send("hello").message())
                    .startsWith("HTTP/1.1 200 ")
                    .endsWith("\r\n\r\nhello");
        }
    }

    @Test
    void anUpstreamMayRefuseBeforeTheBodyIsSent() throws Exception {
        try (RawUpstream upstream = new RawUpstream(caller -> {
                    caller.head();
                    caller.send("HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\nno");
                    caller.head();
                });
                TestGateway gateway = TestGateway.to(upstream.origin());
                RawClient client = gateway.client()) {
            client.send("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
            assertThat(client.message()).startsWith("HTTP/1.1 401 ").endsWith("no");
            assertThat(client.isClosed()).isTrue();
            assertThat(gateway.upstreams.said).containsExactly("answered 401", "over");
        }
    }

    @Test
    void earlyHintsAreForwardedButNotAStormOfThem() throws Exception {
        try (RawUpstream upstream = RawUpstream.answering(
                        "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\nConnection: x\r\n\r\n".repeat(500)
                                + "HTTP/1.1 100 Continue\r\n\r\n".repeat(500)
                                + OK);
                TestGateway gateway = TestGateway.to(upstream.origin());
                RawClient client = gateway.client()) {
            client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
            int hints = 0;
            String head = client.head();
            for (; head.startsWith("HTTP/1.1 103 "); head = client.head()) {
                assertThat(head).contains("link: </a>\r\n").doesNotContainIgnoringCase("connection");
                hints++;
            }
            assertThat(hints).isEqualTo(16);
            assertThat(head).startsWith("HTTP/1.1 200 ");
        }
    }

    @Test
    void answersUntilTheCloseBecomeChunksOrStayUntilTheClose() throws Exception {
        try (RawUpstream upstream = new RawUpstream(caller -> {
                    caller.head();
                    caller.send("HTTP/1.0 200 OK\r\n\r\nhello");
                });
                TestGateway gateway = TestGateway.to(upstream.origin())) {
            try (RawClient client = gateway.client()) {
                assertThat(client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n").message())
                        .containsIgnoringCase("transfer-encoding: chunked\r\n")
                        .endsWith("5\r\nhello\r\n0\r\n\r\n");
            }
            try (RawClient client = gateway.client()) {
                assertThat(client.send("GET / HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n")
                                .rest())
                        .startsWith("HTTP/1.0 200 ")
                        .doesNotContainIgnoringCase("chunked")
                        .endsWith("\r\n\r\nhello");
            }
        }
    }

    @Test
    void aStepBeforeTheAnswerMayAnswerInstead() throws Exception {
        try (RawUpstream upstream = RawUpstream.answering(OK);
                TestGateway gateway = new TestGateway(
                        wishes -> wishes.after = (exchange, status, then) ->
                                exchange.response().setStatusCode(418).end("tea"),
                        upstream.origin());
                RawClient client = gateway.client()) {
            assertThat(client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n").message())
                    .startsWith("HTTP/1.1 418 ")
                    .endsWith("tea");
            await().untilAsserted(() -> assertThat(gateway.upstreams.said).containsExactly("answered 200", "over"));
        }
    }
}
