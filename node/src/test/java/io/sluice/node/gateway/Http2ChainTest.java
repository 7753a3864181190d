package io.sluice.node.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.core.time.Clock;
import io.sluice.node.gateway.auth.Authenticators;
import io.sluice.node.gateway.chain.GatewayUnderTest;
import io.sluice.node.gateway.config.AuthSettings;
import io.sluice.node.gateway.config.AuthSettings.ApiKeys;
import io.sluice.node.gateway.exchange.GatewayExchange;
import io.sluice.node.gateway.route.Access;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.HostAndPort;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The chain over HTTP/2: body fields, permits and authentication. */
@Timeout(300)
class Http2ChainTest {

    /** The hash of the key {@code secret}. */
    private static final String HASH = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b";

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

    private Future<HttpClientRequest> request(GatewayUnderTest gateway, HttpMethod method) {
        return client.request(new RequestOptions()
                .setMethod(method)
                .setHost("127.0.0.1")
                .setPort(gateway.port())
                .setURI("/a"));
    }

    private HttpClientResponse post(GatewayUnderTest gateway, String json) throws Exception {
        return get(request(gateway, HttpMethod.POST)
                .compose(request -> request.putHeader("content-type", "application/json")
                        .send(Buffer.buffer(json))
                        .compose(response -> response.body().map(body -> {
                            assertThat(response.version()).isEqualTo(HttpVersion.HTTP_2);
                            if (response.statusCode() == 200) {
                                assertThat(body.toString()).contains("bytes=" + json.length());
                            }
                            return response;
                        }))));
    }

    private int status(GatewayUnderTest gateway, String header, String value) throws Exception {
        return get(request(gateway, HttpMethod.GET)
                .compose(request -> request.putHeader(header, value).send().compose(response -> response.body()
                        .map(body -> response.statusCode()))));
    }

    @Test
    void bodyFieldsCountAndTheBodyIsForwardedCompletely() throws Exception {
        try (GatewayUnderTest gateway = new GatewayUnderTest()
                .rules("rules: [{ id: r, limits: [{ by: json.user, limit: 1, window: 1h }] }]")
                .start()) {
            assertThat(post(gateway, "{\"user\":\"a\"}").statusCode()).isEqualTo(200);
            assertThat(post(gateway, "{\"user\":\"a\"}").statusCode()).isEqualTo(429);
            assertThat(post(gateway, "{\"user\":\"b\"}").statusCode()).isEqualTo(200);
            assertThat(post(gateway, "{\"user\":\"a\",\"user\":\"c\"}").statusCode())
                    .isEqualTo(400);
            String large = "{\"user\":\"" + "x".repeat(100_000) + "\"}";
            assertThat(post(gateway, large).statusCode()).isEqualTo(413);
        }
        try (GatewayUnderTest gateway = new GatewayUnderTest()
                .rules("rules: [{ id: r, limits: [{ by: json.user, limit: 1, window: 1h, unread: absent }] }]")
                .start()) {
            assertThat(post(gateway, "{\"user\":\"" + "x".repeat(100_000) + "\"}")
                            .statusCode())
                    .isEqualTo(200);
        }
    }

    @Test
    void aHostHasOneCountWhateverPortItsAuthorityNames() throws Exception {
        try (GatewayUnderTest gateway = new GatewayUnderTest()
                .rules("rules: [{ id: r, match: { header.host: shop.example }, limits: [{ limit: 1, window: 1h }] }]")
                .start()) {
            assertThat(statusAt(gateway, HostAndPort.create("shop.example", 80)))
                    .isEqualTo(200);
            assertThat(statusAt(gateway, HostAndPort.create("Shop.Example", 81)))
                    .isEqualTo(429);
            assertThat(statusAt(gateway, HostAndPort.create("shop.example.", 82)))
                    .isEqualTo(429);
            assertThat(statusAt(gateway, HostAndPort.create("other.example", 80)))
                    .isEqualTo(200);
        }
    }

    private int statusAt(GatewayUnderTest gateway, HostAndPort authority) throws Exception {
        return get(request(gateway, HttpMethod.GET)
                .compose(request -> request.authority(authority).send().compose(response -> response.body()
                        .map(body -> response.statusCode()))));
    }

    @Test
    void permitsAreReleasedWhenTheStreamEndsOrIsReset() throws Exception {
        ConcurrentLinkedQueue<GatewayExchange> open = new ConcurrentLinkedQueue<>();
        try (GatewayUnderTest gateway = new GatewayUnderTest()
                .rules("rules: [{ id: r, limits: [{ algorithm: concurrency, limit: 1, ttl: 1h }] }]")
                .forwarding(open::add)
                .start()) {
            HttpClientRequest first = get(request(gateway, HttpMethod.GET));
            Future<HttpClientResponse> answer = first.send();
            await().until(() -> open.size() == 1);
            assertThat(status(gateway, "x-a", "b")).isEqualTo(429);
            gateway.vertx().runOnContext(any -> open.remove().response().end("done"));
            assertThat(get(answer).statusCode()).isEqualTo(200);
            await().until(() -> open.isEmpty());

            HttpClientRequest second = get(request(gateway, HttpMethod.GET));
            second.exceptionHandler(told -> {}).end();
            await().until(() -> open.size() == 1);
            second.reset(8);
            await().until(() -> gateway.statuses().contains(499));
            HttpClientRequest third = get(request(gateway, HttpMethod.GET));
            third.exceptionHandler(told -> {}).end();
            await().until(() -> open.size() == 2);
            assertThat(gateway.forwarded()).isEqualTo(3);
        }
    }

    @Test
    void callersAreAuthenticated(@TempDir Path folder) throws Exception {
        Path keys = Files.writeString(folder.resolve("keys.yaml"), "keys: [{ sha256: " + HASH + ", user: u-1 }]");
        try (GatewayUnderTest gateway = new GatewayUnderTest()
                .auth(
                        Access.REQUIRED,
                        Authenticators.open(
                                new AuthSettings(Optional.empty(), Optional.of(new ApiKeys(keys, "X-API-Key"))),
                                Clock.system()))
                .rules("rules: [{ id: r, limits: [{ by: user, limit: 1, window: 1h }] }]")
                .start()) {
            assertThat(status(gateway, "x-api-key", "wrong")).isEqualTo(401);
            assertThat(status(gateway, "x-user", "u-1")).isEqualTo(401);
            assertThat(status(gateway, "x-api-key", "secret")).isEqualTo(200);
            assertThat(status(gateway, "x-api-key", "secret")).isEqualTo(429);
        }
    }
}
