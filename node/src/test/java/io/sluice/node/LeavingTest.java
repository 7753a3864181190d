package io.sluice.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.node.config.NodeConfig;
import io.sluice.node.config.NodeConfig.RoutesFrom;
import io.sluice.node.config.NodeConfig.RulesFrom;
import io.sluice.node.gateway.RawClient;
import io.sluice.node.gateway.RawUpstream;
import io.sluice.runtime.Store;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A node that stops while callers use their connections again and again. */
@Timeout(300)
class LeavingTest {

    private static final int CALLERS = 30;
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";
    private static final String GET = "GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n";

    /** The gateway counts answers by their status, just before it sends them. */
    private static final String RULES = """
            rules:
              - id: searching
                for: early
                match: { answer.status: 404 }
                limits: [{ by: ip, limit: 1000000, window: 1m }]
            """;

    private final AtomicReference<Runnable> grace = new AtomicReference<>(() -> {});

    @TempDir
    private Path folder;

    private Node start(RawUpstream upstream) throws Exception {
        Path config = Files.writeString(
                folder.resolve("sluice.yaml"),
                "gateway: { drain: 1h }\nroutes:\n  - { path: /**, service: shop, upstreams: [\"" + upstream.origin()
                        + "\"], auth: open }\n");
        return Node.start(
                NodeConfig.inProcess(new RulesFrom.Text("rules", RULES), 0).withGateway(0, new RoutesFrom.File(config)),
                Store::redis,
                () -> grace.get().run(),
                () -> 0);
    }

    @Test
    void noCallerThatKeepsItsConnectionSeesAReset() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(CALLERS);
        CountDownLatch begun = new CountDownLatch(CALLERS);
        CountDownLatch told = new CountDownLatch(CALLERS);
        try (RawUpstream upstream = RawUpstream.answering(OK);
                Node node = start(upstream)) {
            grace.set(() -> pass(told));
            List<CompletableFuture<String>> ends = new ArrayList<>();
            for (int i = 0; i < CALLERS; i++) {
                int port = i % 2 == 0
                        ? node.apiPort()
                        : node.gateway().orElseThrow().getPort();
                ends.add(CompletableFuture.supplyAsync(() -> callUntilTold(port, begun, told), threads));
            }
            pass(begun);
            node.close();
            assertThat(ends)
                    .allSatisfy(end -> assertThat(end.get(60, TimeUnit.SECONDS)).isEqualTo("told, then closed"));
        } finally {
            threads.shutdownNow();
        }
    }

    private static String callUntilTold(int port, CountDownLatch begun, CountDownLatch told) {
        try (RawClient client = new RawClient(new Socket(InetAddress.getLoopbackAddress(), port))) {
            boolean first = true;
            while (true) {
                String answer = client.send(GET).message();
                if (!answer.startsWith("HTTP/1.1 200 ")) {
                    return "not answered: " + answer;
                }
                if (first) {
                    first = false;
                    begun.countDown();
                }
                if (answer.toLowerCase(Locale.ROOT).contains("\r\nconnection: close\r\n")) {
                    told.countDown();
                    return client.rest().isEmpty() ? "told, then closed" : "told, then more";
                }
            }
        } catch (IOException e) {
            return e.toString();
        }
    }

    @Test
    void whatArrivesOnIdleConnectionsDuringTheGraceIsAnswered() throws Exception {
        try (RawUpstream upstream = RawUpstream.answering(OK);
                Node node = start(upstream)) {
            for (int port : List.of(node.apiPort(), node.gateway().orElseThrow().getPort())) {
                RawClient idle = new RawClient(new Socket(InetAddress.getLoopbackAddress(), port));
                assertThat(idle.send(GET).message())
                        .startsWith("HTTP/1.1 200 ")
                        .doesNotContainIgnoringCase("close\r\n");
                RawHttp2 http2 = new RawHttp2(port, 1 << 20);
                http2.get("/nowhere");
                await().until(() -> http2.data() > 0 && http2.seen(RawHttp2.HEADERS) == 1);
                Runnable before = grace.get();
                grace.set(() -> {
                    before.run();
                    answered(idle, http2);
                });
            }
            node.close();
        }
    }

    /** Runs during the grace. */
    private static void answered(RawClient idle, RawHttp2 http2) {
        try {
            await().until(() -> http2.seen(RawHttp2.GOAWAY) == 1);
            assertThat(http2.goAwayError()).isZero();
            http2.get("/nowhere");
            await().until(() -> http2.seen(RawHttp2.HEADERS) == 2);
            assertThat(idle.send(GET).message())
                    .startsWith("HTTP/1.1 200 ")
                    .containsIgnoringCase("\r\nconnection: close\r\n");
            assertThat(http2.isClosed()).isFalse();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void whatIsBeingSentWhenThePortsCloseIsAnswered() throws Exception {
        CountDownLatch answer = new CountDownLatch(1);
        CountDownLatch asked = new CountDownLatch(1);
        try (RawUpstream slow = new RawUpstream(caller -> {
                    String head = caller.message();
                    if (head.contains("/slow")) {
                        asked.countDown();
                        pass(answer);
                    }
                    caller.send(OK);
                });
                Node node = start(slow)) {
            int port = node.gateway().orElseThrow().getPort();
            RawClient waiting = new RawClient(new Socket(InetAddress.getLoopbackAddress(), port));
            waiting.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n");
            pass(asked);
            RawClient fresh = new RawClient(new Socket(InetAddress.getLoopbackAddress(), port));
            fresh.send("GET /fast HTTP/1.1\r\nHo");
            for (int i = 0; i < 2 * Runtime.getRuntime().availableProcessors() + 2; i++) {
                // Each event loop has read what came before its answer.
                try (RawClient other = new RawClient(new Socket(InetAddress.getLoopbackAddress(), port))) {
                    assertThat(other.send(GET).message()).startsWith("HTTP/1.1 200 ");
                }
            }
            CompletableFuture<Void> closing = CompletableFuture.runAsync(node::close);
            await().atMost(Duration.ofMinutes(1)).until(() -> isRefused(port));
            assertThat(fresh.send("st: a\r\n\r\n").message())
                    .startsWith("HTTP/1.1 200 ")
                    .containsIgnoringCase("\r\nconnection: close\r\n");
            answer.countDown();
            assertThat(waiting.message()).startsWith("HTTP/1.1 200 ");
            closing.get(60, TimeUnit.SECONDS);
        }
    }

    private static boolean isRefused(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    private static void pass(CountDownLatch latch) {
        try {
            assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
