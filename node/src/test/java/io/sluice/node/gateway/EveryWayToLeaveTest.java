package io.sluice.node.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.node.RawHttp2;
import io.sluice.node.gateway.exchange.GatewayExchange;
import io.sluice.testkit.SeededRandom;
import io.sluice.testkit.SilencedLog;
import io.sluice.testkit.redis.RedisServer;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every request that began is over when its connection or stream is gone, whichever way and whenever that happens. Concurrency
 * permits are given back at that moment.
 */
@Timeout(300)
class EveryWayToLeaveTest {

    @RegisterExtension
    static final SilencedLog PROVOKED = SilencedLog.of(GatewayExchange.class);

    private static final int ROUNDS = 150;
    private static final String ASK = RawClient.lines(
            "GET /chat HTTP/1.1",
            "Host: a",
            "Connection: Upgrade",
            "Upgrade: websocket",
            "Sec-WebSocket-Key: abc",
            "Sec-WebSocket-Version: 13");
    private static final String GRANTED = RawClient.lines(
            "HTTP/1.1 101 Switching Protocols",
            "Connection: Upgrade",
            "Upgrade: websocket",
            "Sec-WebSocket-Accept: xyz");

    private static final String CONCURRENCY = """
            rules:
              - id: open
                deadline: 1m
                on_failure: closed
                limits: [{ algorithm: concurrency, limit: 1000, ttl: 1h }]
            """;

    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger over = new AtomicInteger();
    private final Random random = SeededRandom.of("EveryWayToLeaveTest");

    private TestGateway counting(RawUpstream upstream) {
        return new TestGateway(
                wishes -> wishes.before = exchange -> {
                    begun.incrementAndGet();
                    exchange.whenOver(over::incrementAndGet);
                },
                upstream.origin());
    }

    @Test
    void ofAWebSocketThatEndsAtOnce() throws Exception {
        try (RawUpstream upstream = new RawUpstream(caller -> {
                    caller.head();
                    caller.send(GRANTED);
                    if (ways() % 3 > 0) {
                        caller.rest();
                    }
                });
                TestGateway gateway = counting(upstream)) {
            leaveAfter(gateway, ASK);
        }
    }

    @Test
    void ofAnUpgradeThatTheUpstreamDeclines() throws Exception {
        try (RawUpstream upstream = new RawUpstream(caller -> {
                    while (!caller.head().isEmpty()) {
                        caller.send(
                                switch (ways() % 3) {
                                    case 0 -> "HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno";
                                    case 1 ->
                                        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nno\r\n0\r\n\r\n";
                                    default -> "HTTP/1.1 426 Upgrade Required\r\nContent-Length: 100\r\n\r\nno";
                                });
                    }
                });
                TestGateway gateway = counting(upstream)) {
            leaveAfter(gateway, ASK);
        }
    }

    @Test
    void ofARequestThatIsCutOff() throws Exception {
        try (RawUpstream upstream = RawUpstream.answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
                TestGateway gateway = counting(upstream)) {
            leaveAfter(gateway, RawClient.lines("POST /a HTTP/1.1", "Host: a", "Content-Length: 5") + "abc");
        }
    }

    @Test
    void ofAStreamThatIsReset() throws Exception {
        try (RawUpstream upstream = RawUpstream.answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
                TestGateway gateway = counting(upstream)) {
            resetStreams(gateway.port(), EveryWayToLeaveTest::isAnswered);
            allOver();
        }
    }

    /** Resets many streams: some before the request has ended, and some when it has ended and is under way. */
    private void resetStreams(int port, Predicate<HttpClientRequest> underWay) throws Exception {
        Vertx vertx = Vertx.vertx();
        try {
            HttpClient client = vertx.createHttpClient(new HttpClientOptions()
                    .setProtocolVersion(HttpVersion.HTTP_2)
                    .setHttp2ClearTextUpgrade(false));
            for (int i = 0; i < ROUNDS; i++) {
                HttpClientRequest request = client.request(HttpMethod.POST, port, "127.0.0.1", "/a")
                        .toCompletionStage()
                        .toCompletableFuture()
                        .get(60, TimeUnit.SECONDS);
                request.exceptionHandler(told -> {}).setChunked(true).write("abc");
                if (random.nextBoolean()) {
                    request.end();
                    await().atMost(1, TimeUnit.MINUTES).until(() -> underWay.test(request));
                }
                request.reset(8);
            }
        } finally {
            vertx.close().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
        }
    }

    @Test
    void ofAnyOfThemThePermitsInRedisAreGivenBack(@TempDir Path folder) throws Exception {
        RedisServer redis = RedisServer.shared();
        try (RawUpstream upstream = new RawUpstream(caller -> {
                    while (!caller.head().isEmpty()) {
                        caller.send(
                                ways() % 2 == 0 ? GRANTED : "HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno");
                    }
                });
                RunningGateway gateway = RunningGateway.onRedis(
                        folder, CONCURRENCY, upstream.origin().toString(), redis.uri())) {
            leaveAfter(gateway.port(), ASK);
            leaveAfter(gateway.port(), RawClient.lines("POST /a HTTP/1.1", "Host: a", "Content-Length: 5") + "abc");
            await().atMost(1, TimeUnit.MINUTES).until(() -> holders(redis) == 0);
            assertThat(redis.command("INFO", "commandstats").text())
                    .as("permits were taken, and given back")
                    .contains("cmdstat_zadd:", "cmdstat_zrem:");
        }
    }

    private static boolean isAnswered(HttpClientRequest request) {
        return request.response().isComplete();
    }

    /** The upstream never answers, so a request ends only by its reset, or because Redis could not be asked. */
    @Test
    void ofAStreamThatIsResetThePermitsInRedisAreGivenBack(@TempDir Path folder) throws Exception {
        RedisServer redis = RedisServer.shared();
        try (RawUpstream upstream = new RawUpstream(RawClient::rest);
                RunningGateway gateway = RunningGateway.onRedis(
                        folder, CONCURRENCY, upstream.origin().toString(), redis.uri())) {
            resetStreams(gateway.port(), request -> holders(redis) > 0 || isAnswered(request));
            await().atMost(1, TimeUnit.MINUTES).until(() -> holders(redis) == 0);

            try (RawHttp2 client = new RawHttp2(gateway.port(), 65_535)) {
                client.provoke(20, RawHttp2.WINDOW_UPDATE, new byte[4]);
                await().atMost(1, TimeUnit.MINUTES).until(() -> client.seen(RawHttp2.RST_STREAM) == 20);
                await().atMost(1, TimeUnit.MINUTES).until(() -> client.get("/a") > 0 && holders(redis) > 0);
            }
            await().atMost(1, TimeUnit.MINUTES).until(() -> holders(redis) == 0);
        }
    }

    private static long holders(RedisServer redis) {
        return redis.command("KEYS", "rate_limit:open:*").texts().stream()
                .mapToLong(key -> redis.command("ZCOUNT", key, "(0", "+inf").number())
                .sum();
    }

    @Test
    void anActionThatFailsDoesNotKeepTheOthersFromRunning() throws Exception {
        try (RawUpstream upstream = RawUpstream.answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
                TestGateway gateway = new TestGateway(
                        wishes -> wishes.before = exchange -> {
                            exchange.whenOver(() -> {
                                throw new IllegalStateException("thrown by the test");
                            });
                            exchange.whenOver(over::incrementAndGet);
                        },
                        upstream.origin());
                RawClient client = gateway.client()) {
            client.send(RawClient.lines("GET /a HTTP/1.1", "Host: a")).message();
            await().until(() -> over.get() == 1);
        }
    }

    private void leaveAfter(TestGateway gateway, String request) throws IOException {
        leaveAfter(gateway.port(), request);
        allOver();
        assertThat(begun.get()).isGreaterThan(ROUNDS / 10);
    }

    private void leaveAfter(int port, String request) throws IOException {
        for (int i = 0; i < ROUNDS; i++) {
            try (RawClient client = new RawClient(new Socket(InetAddress.getLoopbackAddress(), port))) {
                client.send(request);
                switch (ways() % 4) {
                    case 0 -> client.socket.setSoLinger(true, 0);
                    case 1 -> client.socket.shutdownOutput();
                    case 2 -> {
                        if (request.equals(ASK)) {
                            client.head();
                        }
                    }
                    default -> client.send("more");
                }
            }
        }
    }

    private void allOver() {
        await().atMost(1, TimeUnit.MINUTES).untilAsserted(() -> assertThat(over).hasValue(begun.get()));
    }

    private synchronized int ways() {
        return random.nextInt(12);
    }
}
