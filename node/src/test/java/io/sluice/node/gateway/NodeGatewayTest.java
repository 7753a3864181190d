package io.sluice.node.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.node.Node;
import io.sluice.node.config.NodeConfig;
import io.sluice.node.config.NodeConfig.RoutesFrom;
import io.sluice.node.config.NodeConfig.RulesFrom;
import io.sluice.node.config.StartFailedException;
import io.sluice.testkit.process.SelfSigned;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.PemKeyCertOptions;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A whole node with a gateway, from its configuration to its metrics. */
@Timeout(300)
class NodeGatewayTest {

    private static final String RULES = """
        rules:
          - { id: login, service: users, resource: /api/login, methods: [POST], limits: [{ by: ip, algorithm: sliding_log, limit: 5, window: 1h }] }
          - { id: keyed, resource: /keyed, limits: [{ by: user, algorithm: sliding_log, limit: 2, window: 1h }] }
        """;

    /** The hash of the key {@code secret}. */
    private static final String HASH = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b";

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private TestUpstream upstream;

    @TempDir
    Path folder;

    @BeforeEach
    void open() throws Exception {
        upstream = new TestUpstream("here");
    }

    @AfterEach
    void close() {
        upstream.close();
    }

    @Test
    void aReloadThatLosesAuthenticationIsRefusedUnlessEveryRouteIsOpenByItsOwnWord() throws Exception {
        Files.writeString(folder.resolve("keys.yaml"), "keys: [{ sha256: " + HASH + ", user: u-1 }]");
        String routes = "routes:\n  - { path: /keyed, upstreams: '" + upstream.origin() + "' }\n"
                + "  - { path: /other, upstreams: '" + upstream.origin() + "' }\n";
        Path file = write("auth: { api_keys: keys.yaml }\n" + routes);
        try (Node node = start(file)) {
            write(routes);
            await().until(() -> node.findings()
                    .contains("config refused, the last good one stays in force: " + file
                            + ": auth: removed, which would open /keyed and 1 more to everybody (expected: the section"
                            + " auth, or auth: open for each route that is meant to be open)"));
            assertThat(send(node, "GET", "/keyed").statusCode()).isEqualTo(401);

            write("auth: { api_keys: keys.yaml }\n" + routes);
            await().until(() -> node.findings().isEmpty());

            write(routes.replace("' }", "', auth: open }"));
            await().until(() -> send(node, "GET", "/other").statusCode() == 200);
            assertThat(node.findings()).isEmpty();
        }
    }

    @Test
    void routesAuthenticatesLimitsAndCounts() throws Exception {
        Files.writeString(folder.resolve("keys.yaml"), "keys: [{ sha256: " + HASH + ", user: u-1 }]");
        Path file = write("auth: { api_keys: keys.yaml }\nroutes:\n"
                + "  - { path: /api/**, service: users, upstreams: '" + upstream.origin() + "', auth: open }\n"
                + "  - { path: /keyed, upstreams: '" + upstream.origin() + "' }\n");
        try (Node node = start(file)) {
            for (int i = 0; i < 7; i++) {
                assertThat(send(node, "POST", "/api/login").statusCode()).isEqualTo(i < 5 ? 200 : 429);
            }
            assertThat(send(node, "GET", "/other").statusCode()).isEqualTo(404);
            assertThat(send(node, "GET", "/keyed").statusCode()).isEqualTo(401);
            for (int i = 0; i < 3; i++) {
                HttpResponse<String> answer = http.send(
                        request(node, "/keyed").header("X-API-Key", "secret").build(),
                        HttpResponse.BodyHandlers.ofString());
                assertThat(answer.statusCode()).isEqualTo(i < 2 ? 200 : 429);
            }
            assertThat(upstream.asked).hasSize(7);
            await().untilAsserted(() -> assertThat(api(node, "/metrics").body())
                    .contains("sluice_gateway_requests_total{route=\"/api/**\",status=\"2xx\"} 5.0\n")
                    .contains("sluice_gateway_requests_total{route=\"/api/**\",status=\"4xx\"} 2.0\n")
                    .contains("sluice_gateway_requests_total{route=\"/keyed\",status=\"4xx\"} 2.0\n")
                    .contains("sluice_gateway_requests_total{route=\"\",status=\"4xx\"} 1.0\n")
                    .contains("sluice_gateway_upstream_healthy{service=\"users\",upstream=\"" + upstream.origin()
                            + "\"} 1.0\n")
                    .contains("sluice_gateway_duration_seconds_count 12"));
        }
    }

    @Test
    void aChangeOfTheFileTakesEffectAndABadFileIsReported() throws Exception {
        Path file = write("routes: []\n");
        try (Node node = start(file)) {
            assertThat(send(node, "GET", "/x").statusCode()).isEqualTo(404);

            write("routes: [{ path: /x, upstreams: '" + upstream.origin() + "' }]\n");
            await().until(() -> send(node, "GET", "/x").statusCode() == 200);

            write("routes: [{ path: /y, upstreams: '" + upstream.origin() + "/bad' }]\n");
            await().until(() -> !node.findings().isEmpty());
            assertThat(node.findings())
                    .singleElement()
                    .asString()
                    .startsWith("config refused, the last good one stays in force: " + file + ":1:33: upstreams: ");
            assertThat(api(node, "/health").body()).contains("config refused");
            assertThat(send(node, "GET", "/x").statusCode()).isEqualTo(200);

            write("auth: { api_keys: missing.yaml }\nroutes: [{ path: /x, upstreams: '" + upstream.origin() + "' }]\n");
            await().until(() -> node.findings().toString().contains("missing.yaml"));
            assertThat(send(node, "GET", "/x").statusCode()).isEqualTo(200);

            Files.writeString(folder.resolve("missing.yaml"), "keys: [{ sha256: " + HASH + ", user: u-1 }]");
            await().until(() -> node.findings().isEmpty());
            assertThat(send(node, "GET", "/x").statusCode()).isEqualTo(401);
        }
    }

    @Test
    void upstreamsAreVerifiedByTheirAuthoritiesWhichMayChangeWithoutAChangeOfTheFile() throws Exception {
        SelfSigned made = new SelfSigned(folder);
        made.make("upstream");
        made.make("other");
        Path authorities = folder.resolve("ca.pem");
        Files.copy(made.certificate("other"), authorities);
        Vertx vertx = Vertx.vertx();
        try {
            HttpServer server = vertx.createHttpServer(new HttpServerOptions()
                            .setSsl(true)
                            .setKeyCertOptions(new PemKeyCertOptions()
                                    .setCertPath(made.certificate("upstream").toString())
                                    .setKeyPath(made.key("upstream").toString())))
                    .requestHandler(request -> request.response().end("hi"))
                    .listen(0, "127.0.0.1")
                    .toCompletionStage()
                    .toCompletableFuture()
                    .get(60, TimeUnit.SECONDS);
            Path file = write("services: { s: { upstreams: 'https://127.0.0.1:" + server.actualPort()
                    + "', tls: { ca: ca.pem } } }\nroutes: [{ path: /x, service: s }]\n");
            try (Node node = start(file)) {
                assertThat(send(node, "GET", "/x").statusCode()).isEqualTo(502);
                Files.copy(made.certificate("upstream"), authorities, StandardCopyOption.REPLACE_EXISTING);
                await().until(() -> send(node, "GET", "/x").statusCode() == 200);
                Files.writeString(authorities, "nonsense");
                await().until(() -> node.findings().toString().contains("ca: no certificates in"));
                assertThat(send(node, "GET", "/x").statusCode()).isEqualTo(200);
                Files.copy(made.certificate("upstream"), authorities, StandardCopyOption.REPLACE_EXISTING);
                await().until(() -> node.findings().isEmpty());
            }
        } finally {
            vertx.close().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
        }
    }

    @Test
    void anUpstreamsIpv6AddressMayBeWrittenWithDots() throws Exception {
        URI origin = URI.create("http://[::ffff:127.0.0.1]:" + upstream.origin().getPort());
        try (Node node = start(write("routes: [{ path: /x, upstreams: '" + origin + "' }]\n"))) {
            assertThat(send(node, "GET", "/x").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void aStoppingNodeReportsItFirstAndLetsRequestsThroughTheGatewayFinish() throws Exception {
        Path file = write("routes: [{ upstreams: '" + upstream.origin() + "' }]\n");
        Node node = start(file);
        upstream.hold();
        CompletableFuture<HttpResponse<String>> slow =
                http.sendAsync(request(node, "/slow").build(), HttpResponse.BodyHandlers.ofString());
        await().until(() -> upstream.asked.contains("GET /slow"));

        CompletableFuture<Void> stopped = CompletableFuture.runAsync(node::close);
        await().until(() -> api(node, "/health").statusCode() == 503);
        upstream.letGo();

        assertThat(slow.get(60, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
        stopped.get(60, TimeUnit.SECONDS);
    }

    @Test
    void refusalsOfARuleCanHaveTheirOwnBody() throws Exception {
        Files.writeString(folder.resolve("page.html"), "<p>#{T(x)} 请稍候</p>");
        String refusals =
                "gateway: { refusals: [{ rule: login, content_type: text/html; charset=utf-8, file: page.html }] }\n";
        write(refusals + "routes: [{ service: users, upstreams: '" + upstream.origin() + "' }]\n");
        try (Node node = start(folder.resolve("sluice.yaml"))) {
            HttpResponse<String> answer = send(node, "POST", "/api/login");
            for (int i = 0; i < 5; i++) {
                answer = send(node, "POST", "/api/login");
            }
            assertThat(answer.statusCode()).isEqualTo(429);
            assertThat(answer.headers().firstValue("content-type")).contains("text/html; charset=utf-8");
            assertThat(answer.headers().firstValue("retry-after")).isPresent();
            assertThat(answer.body()).isEqualTo("<p>#{T(x)} 请稍候</p>");
        }
    }

    @Test
    void aWarmUpReachesNoUpstreamAndChargesNothing() throws Exception {
        Path file = write("routes: [{ upstreams: '" + upstream.origin() + "' }]\n");
        try (Node node = start(file)) {
            assertThat(upstream.asked).isEmpty();
            assertThat(api(node, "/metrics").body()).contains("sluice_gateway_duration_seconds_count 0");
        }
    }

    @Test
    void theSampleServiceEchoesTheRequest() throws Exception {
        NodeConfig config = NodeConfig.inProcess(new RulesFrom.Nowhere(), 0).withGateway(0, new RoutesFrom.Sample());
        try (Node node = Node.start(config)) {
            assertThat(send(node, "PUT", "/api/orders/7?x=y").body())
                    .contains("\"method\" : \"PUT\"", "\"target\" : \"/api/orders/7?x=y\"");
        }
    }

    @Test
    void aBadConfigurationFailsTheStartAndLeavesNothingOpen() throws Exception {
        Path file = write("routes: [{ upstreams: x }]\n");
        assertThatThrownBy(() -> start(file))
                .isInstanceOf(StartFailedException.class)
                .hasMessage("config: 1 error (expected: none)");
        Path keys = write("auth: { api_keys: none.yaml }\nroutes: []\n");
        assertThatThrownBy(() -> start(keys))
                .isInstanceOf(StartFailedException.class)
                .hasMessageStartingWith("config: ")
                .hasMessageContaining("none.yaml");
    }

    private Node start(Path file) throws StartFailedException {
        return Node.start(
                NodeConfig.inProcess(new RulesFrom.Text("t", RULES), 0).withGateway(0, new RoutesFrom.File(file)));
    }

    private Path write(String text) throws Exception {
        return Files.writeString(folder.resolve("sluice.yaml"), text);
    }

    private HttpRequest.Builder request(Node node, String path) {
        return HttpRequest.newBuilder(URI.create(node.gateway().orElseThrow() + path))
                .timeout(Duration.ofSeconds(60));
    }

    private HttpResponse<String> send(Node node, String method, String path) throws Exception {
        return http.send(
                request(node, path)
                        .method(method, HttpRequest.BodyPublishers.noBody())
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> api(Node node, String path) throws Exception {
        return http.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + node.apiPort() + path))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }
}
