package io.sluice.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.Limiter;
import io.sluice.core.LocalEngine;
import io.sluice.core.time.Clock;
import io.sluice.envoy.Counting;
import io.sluice.envoy.EnvoyJson;
import io.sluice.envoy.RateLimitDecider;
import io.sluice.rules.Evaluator;
import io.sluice.rules.KeyForm;
import io.sluice.rules.KeySecret;
import io.sluice.rules.RuleSet;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients that take their time, against a server whose patience is a second or two. */
@Timeout(60)
class SlowClientTest {

    private final Arrivals arrivals = Arrivals.overBestTransport();
    private final Vertx vertx = Vertx.builder().withTransport(arrivals).build();
    private final AtomicInteger port = new AtomicInteger();

    @BeforeEach
    void start() throws Exception {
        vertx.setPeriodic(1_000, timer -> arrivals.tick(1));
        Clock clock = Clock.system();
        StoreWatch noStore = new StoreWatch(null, clock);
        Health health =
                new Health(NodeRules.open(NodeConfig.inProcess(new NodeConfig.RulesFrom.Nowhere(), 0)), noStore);
        Limiter local = new Limiter(new LocalEngine(clock), clock, List.of());
        KeyForm keys = new KeyForm(KeySecret.random(), KeyForm.DEFAULT_IPV6_PREFIX, Optional.empty());
        Evaluator evaluator = new Evaluator(RuleSet::none, local, null, keys, clock, (ruling, nanos) -> {});
        ApiHandler handler = new ApiHandler(
                new DecisionRoutes(vertx, evaluator, RuleSet::none, false),
                new EnvoyRoute(vertx, new EnvoyJson(new RateLimitDecider(evaluator, Counting.TOGETHER))),
                new StateRoutes(vertx, health, new NodeMetrics()),
                new BodyReader(vertx, Duration.ofSeconds(1)));
        vertx.deployVerticle(new ApiServer(handler, new ConnectionWatch(arrivals, 1), "127.0.0.1", 0, port::set))
                .toCompletionStage()
                .toCompletableFuture()
                .get(20, TimeUnit.SECONDS);
    }

    @AfterEach
    void stop() {
        vertx.close();
    }

    @Test
    void aSlowBodyIs408AndTheConnectionEnds() throws Exception {
        try (Socket socket = connect()) {
            socket.getOutputStream()
                    .write("POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"
                            .getBytes(StandardCharsets.US_ASCII));

            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

            assertThat(answer).startsWith("HTTP/1.1 408 ").contains("application/problem+json", "body: too slow");
            serves();
        }
    }

    @Test
    void headsThatTrickleAreCutOff() throws Exception {
        try (Socket socket = connect()) {
            OutputStream out = socket.getOutputStream();
            out.write("GET /health HTTP/1.1\r\nHost: x\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(untilCut(out, "x".getBytes(StandardCharsets.US_ASCII), 100, 200))
                    .isTrue();
        }
        serves();
    }

    @Test
    void aClientThatNeverReadsIsCutOffAndMemoryIsNotFilled() throws Exception {
        byte[] requests = "GET /health HTTP/1.1\r\nHost: x\r\n\r\n".repeat(100).getBytes(StandardCharsets.US_ASCII);
        try (Socket socket = new Socket()) {
            socket.setReceiveBufferSize(4_096);
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port.get()));
            assertThat(untilCut(socket.getOutputStream(), requests, 0, 100_000)).isTrue();
        }
        serves();
    }

    @Test
    void aClientThatIsQuickStays() throws Exception {
        try (Socket socket = connect()) {
            for (int i = 0; i < 6; i++) {
                socket.getOutputStream()
                        .write("GET /health HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                byte[] answer = new byte[15];
                assertThat(socket.getInputStream().readNBytes(answer, 0, 15)).isEqualTo(15);
                assertThat(new String(answer, StandardCharsets.US_ASCII)).startsWith("HTTP/1.1 503");
                socket.getInputStream().skipNBytes(socket.getInputStream().available());
                pause(400);
            }
        }
    }

    /** Writes again and again, with pauses, until the other side has had enough. */
    private static boolean untilCut(OutputStream out, byte[] bytes, int pauseMillis, int times) {
        try {
            for (int i = 0; i < times; i++) {
                out.write(bytes);
                pause(pauseMillis);
            }
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    private static void pause(int millis) {
        if (millis > 0) {
            LockSupport.parkNanos(millis * 1_000_000L);
        }
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port.get());
        socket.setSoTimeout(20_000);
        return socket;
    }

    private void serves() throws Exception {
        HttpResponse<String> answer = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .build()
                .send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port.get() + "/v1/check"))
                                .timeout(Duration.ofSeconds(10))
                                .POST(HttpRequest.BodyPublishers.ofString("{\"attributes\": {}}"))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).isEqualTo(200);
    }
}
