package io.sluice.node.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.node.gateway.chain.GatewayUnderTest;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.HostAndPort;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A request is parsed once, and has only one reading. */
class OneViewTest {

    private GatewayUnderTest gateway;

    @BeforeEach
    void start() throws Exception {
        gateway = new GatewayUnderTest()
                .rules("rules: [{ id: login, resource: /api/login, limits: [{ limit: 0, window: 1m }] }]")
                .start();
    }

    @AfterEach
    void stop() throws Exception {
        gateway.close();
    }

    @ParameterizedTest
    @CsvSource({
        "Shop.Example:8443, shop.example, shop.example:8443",
        "shop.example., shop.example, shop.example",
        "127.0.0.1:80, 127.0.0.1, 127.0.0.1:80",
        "[2001:DB8:0::7]:80, [2001:db8::7], [2001:db8::7]:80",
        "a_b-c.example, a_b-c.example, a_b-c.example"
    })
    void hostHasOneSpelling(String sent, String host, String authority) throws Exception {
        RepliesClient.Reply reply = gateway.get("/a", "Host: " + sent);
        assertThat(reply.told("host")).isEqualTo(host);
        assertThat(reply.told("authority")).isEqualTo(authority);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "a b",
                "user@shop.example",
                "shop.example:",
                "shop.example:0",
                "shop.example:080",
                "shop.example:65536",
                "shop.example:8x",
                "a..b",
                ".a",
                "[::1",
                "[fe80::1%25eth0]",
                "[::1]x",
                "::1",
                "a/b",
                "shop%2eexample",
                "a,b",
                "caf\u00e9.example"
            })
    void a8AnAmbiguousHostIsRefused(String sent) throws Exception {
        assertThat(gateway.get("/a", "Host: " + sent).status()).isEqualTo(400);
        assertThat(gateway.forwarded()).isZero();
    }

    @Test
    void a8MissingAndDuplicateHostsAreRefused() throws Exception {
        try (RepliesClient client = gateway.connect()) {
            client.write("GET /a HTTP/1.1\r\n\r\n");
            assertThat(client.read().status()).isEqualTo(400);
        }
        assertThat(gateway.get("/a", "Host: a", "Host: a").status()).isEqualTo(400);
        assertThat(gateway.get("/a", "Host: a", "Host: b").status()).isEqualTo(400);
        assertThat(gateway.forwarded()).isZero();
    }

    @Test
    void a8AbsoluteFormMustNameTheSameHost() throws Exception {
        RepliesClient.Reply same = gateway.get("HTTP://Shop.Example/x?y=1", "Host: shop.example");
        assertThat(same.told("target")).isEqualTo("/x?y=1");
        assertThat(same.told("path")).isEqualTo("/x");
        assertThat(gateway.get("http://shop.example?y", "Host: shop.example").told("target"))
                .isEqualTo("/?y");
        for (String target : List.of(
                "http://evil.example/x",
                "http://shop.example:81/x",
                "http://user@shop.example/x",
                "http:///x",
                "ftp://shop.example/x",
                "http:/x",
                "shop.example:443",
                "?/api/login",
                "?",
                "x")) {
            assertThat(gateway.get(target, "Host: shop.example").status())
                    .as(target)
                    .isEqualTo(400);
        }
    }

    @Test
    void a8Http2AuthorityMustMatchHost() throws Exception {
        assertThat(http2("shop.example", null)).isEqualTo(200);
        assertThat(http2("shop.example", "shop.example")).isEqualTo(200);
        assertThat(http2("[2001:db8::7]:80", null)).isEqualTo(200);
        int forwarded = gateway.forwarded();
        assertThat(http2("shop.example", "evil.example")).isIn(400, -1);
        assertThat(gateway.forwarded()).isEqualTo(forwarded);
    }

    @Test
    void refusedHttp2StreamsDoNotAffectOthersOnTheConnection() throws Exception {
        HttpClient client = gateway.vertx()
                .createHttpClient(new HttpClientOptions()
                        .setProtocolVersion(HttpVersion.HTTP_2)
                        .setHttp2ClearTextUpgrade(false));
        List<Integer> statuses = new ArrayList<>();
        for (String path : List.of("/api/login", "/%00", "/a")) {
            statuses.add(client.request(HttpMethod.POST, gateway.port(), "127.0.0.1", path)
                    .compose(request -> {
                        request.setChunked(true).write("a part, and never the rest");
                        return path.equals("/a") ? request.send() : request.response();
                    })
                    .map(response -> response.statusCode())
                    .toCompletionStage()
                    .toCompletableFuture()
                    .get(60, TimeUnit.SECONDS));
        }
        client.close();
        assertThat(statuses).containsExactly(429, 400, 200);
    }

    /** Returns the status, or -1 if the stream was reset. */
    private int http2(String authority, String host) throws Exception {
        HttpClient client = gateway.vertx()
                .createHttpClient(new HttpClientOptions()
                        .setProtocolVersion(HttpVersion.HTTP_2)
                        .setHttp2ClearTextUpgrade(false));
        try {
            return client.request(new RequestOptions()
                            .setPort(gateway.port())
                            .setHost("127.0.0.1")
                            .setMethod(HttpMethod.GET)
                            .setURI("/a"))
                    .compose(request -> {
                        request.authority(HostAndPort.parseAuthority(authority, -1));
                        if (host != null) {
                            request.putHeader("host", host);
                        }
                        return request.send();
                    })
                    .map(response -> response.statusCode())
                    .otherwise(-1)
                    .toCompletionStage()
                    .toCompletableFuture()
                    .get(60, TimeUnit.SECONDS);
        } finally {
            client.close();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/api/login",
                "/api//login",
                "/api/./login",
                "/api/%6cogin",
                "/api/login/",
                "/api/login;a=b",
                "/api/login?x",
                "/%61pi/%4cogin",
                "/api/../api/login",
                "/api/%2e%2e/api/login",
                "/api%2Flogin",
                "/api%252Flogin",
                "/api/..;/api/login",
                "//api/login",
                "/api\\login",
                "/api/login%00",
                "/api/%C0%AFlogin",
                "/api/login#x",
                "/api/lo\u00e9gin",
                "/api/%zz",
                "/api/login%20"
            })
    void a7PathVariantsAreLimitedLikeThePathTheyMeanOrRefused(String path) throws Exception {
        RepliesClient.Reply reply = gateway.get(path);
        boolean another = path.contains("%4c") || path.contains("%20");
        assertThat(reply.status()).as(path).isIn(another ? List.of(200) : List.of(429, 400));
        assertThat(gateway.forwarded()).isEqualTo(another ? 1 : 0);
    }

    @Test
    void aRefusalDoesNotShowWhatWasRefused() throws Exception {
        RepliesClient.Reply reply = gateway.get("/a/%00<script>");
        assertThat(reply.status()).isEqualTo(400);
        assertThat(reply.body()).doesNotContain("<script>").contains("\"type\":\"about:blank\"");
        assertThat(reply.header("content-type")).isEqualTo("application/problem+json");
    }

    @Test
    void a9MethodsAreUpperCaseAndConnectIsNotOffered() throws Exception {
        for (String method : List.of("get", "Get", "G-T", "GET1", "X".repeat(40))) {
            assertThat(gateway.request(method, "/a", "").status()).as(method).isEqualTo(400);
        }
        assertThat(gateway.request("CONNECT", "shop.example:443", "").status()).isIn(400, 501);
        assertThat(gateway.request("TRACE", "/a", "").status()).isEqualTo(501);
        assertThat(gateway.forwarded()).isZero();
        assertThat(gateway.request("PURGE", "/a", "").told("method")).isEqualTo("PURGE");
        assertThat(gateway.request("OPTIONS", "*", "").told("target")).isEqualTo("*");
        assertThat(gateway.request("GET", "*", "").status()).isEqualTo(400);
    }

    @Test
    void a9HeadDoesNotEscapeRulesForGetAndOverridesChangeNothing() throws Exception {
        try (GatewayUnderTest limited = new GatewayUnderTest().rules("""
                        rules:
                          - { id: get, methods: [GET], resource: /get, limits: [{ limit: 0, window: 1m }] }
                          - { id: head, methods: [HEAD], resource: /head, limits: [{ limit: 0, window: 1m }] }
                          - { id: delete, methods: [DELETE], limits: [{ limit: 0, window: 1m }] }
                        """).start()) {
            RepliesClient.Reply head = limited.request("HEAD", "/get", "");
            assertThat(head.status()).isEqualTo(429);
            assertThat(head.body()).isEmpty();
            assertThat(limited.request("HEAD", "/head", "").status()).isEqualTo(429);
            assertThat(limited.get("/head").status()).isEqualTo(200);
            assertThat(limited.get("/get", "X-HTTP-Method-Override: POST").status())
                    .isEqualTo(429);
            assertThat(limited.request("POST", "/x", "", "X-HTTP-Method-Override: DELETE")
                            .told("method"))
                    .isEqualTo("POST");
        }
    }

    @Test
    void validIdsOfCallersAreKeptAndOthersReplaced() throws Exception {
        assertThat(gateway.get("/a", "X-Request-Id: a.B-9_").header("x-request-id"))
                .isEqualTo("a.B-9_");
        for (String id : List.of("a b", "<x>", "x".repeat(129), "")) {
            assertThat(gateway.get("/a", "X-Request-Id: " + id).header("x-request-id"))
                    .matches("[0-9a-f]{24}");
        }
        assertThat(gateway.get("/a", "X-Request-Id: a", "X-Request-Id: b").header("x-request-id"))
                .matches("[0-9a-f]{24}");
        assertThat(gateway.get("/a").header("x-request-id"))
                .isNotEqualTo(gateway.get("/a").header("x-request-id"));
    }

    @Test
    void hostWithoutARouteIsNotFound() throws Exception {
        RepliesClient.Reply reply = gateway.get("/a", "Host: nowhere");
        assertThat(reply.status()).isEqualTo(404);
        assertThat(reply.body()).contains("\"title\":\"Not Found\"");
    }

    @Test
    void connectionsStayOpenAfterRefusalsWithSmallBodies() throws Exception {
        try (RepliesClient client = gateway.connect()) {
            assertThat(client.send("GET", "/api/login", "").status()).isEqualTo(429);
            assertThat(client.send("POST", "/api/login", "x".repeat(1_000)).status())
                    .isEqualTo(429);
            assertThat(client.send("GET", "/%00", "").status()).isEqualTo(400);
            assertThat(client.send("HEAD", "/api/login", "").status()).isEqualTo(429);
            assertThat(client.send("GET", "/a", "").status()).isEqualTo(200);
        }
    }

    @Test
    void connectionsAreClosedAfterRefusalsWithUnreadBodies() throws Exception {
        for (String header : List.of("Content-Length: 1000000", "Transfer-Encoding: chunked", "Expect: 100-continue")) {
            try (RepliesClient client = gateway.connect()) {
                String length = header.startsWith("Expect") ? "Content-Length: 5\r\n" : "";
                client.write("POST /api/login HTTP/1.1\r\nHost: a\r\n" + length + header + "\r\n\r\n");
                RepliesClient.Reply reply = client.read();
                assertThat(reply.status()).isEqualTo(429);
                assertThat(reply.header("connection")).isEqualTo("close");
                client.awaitEnd();
            }
        }
    }
}
