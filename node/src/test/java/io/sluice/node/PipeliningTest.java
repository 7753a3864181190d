package io.sluice.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.node.api.MemoryBudget;
import io.sluice.node.gateway.RawClient;
import io.sluice.node.gateway.RawUpstream;
import io.sluice.node.gateway.TestGateway;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many requests that arrive in one piece. */
@Timeout(300)
class PipeliningTest {

    private static final int MANY = 1_000;

    /** The bound of what the gateway reads ahead of an upstream that does not answer. */
    private static final long MOST_READ_AHEAD = 256 << 10;

    private static final String CHECK =
            "POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: 18\r\n\r\n{\"attributes\": {}}";
    private static final String UNKNOWN = "GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n";

    @Test
    void allAreAnsweredInOrderAndEachIsDecidedOnce() throws Exception {
        AtomicInteger decided = new AtomicInteger();
        MemoryBudget memory = new MemoryBudget(100_000_000);
        try (BareServer server = new BareServer(memory, (ruling, nanos) -> decided.incrementAndGet());
                RawClient client = new RawClient(new Socket(InetAddress.getLoopbackAddress(), server.port()))) {
            client.send((CHECK + UNKNOWN + CHECK).repeat(MANY));
            for (int i = 0; i < MANY; i++) {
                assertThat(client.message()).startsWith("HTTP/1.1 200 ");
                assertThat(client.message()).startsWith("HTTP/1.1 404 ");
                assertThat(client.message()).startsWith("HTTP/1.1 200 ");
            }
            assertThat(decided).hasValue(2 * MANY);
        }
    }

    /** Upstream has one request at a time. */
    @Test
    void theGatewayKeepsTheOrderOfFiveThousandAndForwardsOneAtATime() throws Exception {
        int many = 5_000;
        AtomicInteger atOnce = new AtomicInteger();
        AtomicInteger mostAtOnce = new AtomicInteger();
        try (RawUpstream upstream = new RawUpstream(caller -> {
                    for (String head = caller.head(); !head.isEmpty(); head = caller.head()) {
                        mostAtOnce.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
                        String path = head.split(" ", 3)[1];
                        atOnce.decrementAndGet();
                        caller.send("HTTP/1.1 200 OK\r\nContent-Length: " + path.length() + "\r\n\r\n" + path);
                    }
                });
                TestGateway gateway = TestGateway.to(upstream.origin());
                RawClient client = gateway.client()) {
            StringBuilder all = new StringBuilder();
            for (int i = 0; i < many; i++) {
                all.append("GET /").append(i).append(" HTTP/1.1\r\nHost: x\r\n\r\n");
            }
            client.send(all.toString());
            for (int i = 0; i < many; i++) {
                assertThat(client.message()).startsWith("HTTP/1.1 200 ").endsWith("\r\n\r\n/" + i);
            }
            assertThat(mostAtOnce).hasValue(1);
        }
    }

    /**
     * What a caller sends ahead waits in the sockets, which hold some megabytes, and not in the memory of the gateway. What the system has
     * in neither of the two sockets of the connection, the gateway has read.
     */
    @Test
    void theGatewayStopsReadingRequestsThatItCannotForwardYet() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        AtomicLong sent = new AtomicLong();
        byte[] chunk = "GET / HTTP/1.1\r\nHost: x\r\n\r\n".repeat(100).getBytes(StandardCharsets.US_ASCII);
        long all = 64L << 20;
        try (RawUpstream silent = new RawUpstream(caller -> {
                    asked.countDown();
                    over.await();
                });
                TestGateway gateway = TestGateway.to(silent.origin());
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), gateway.port())) {
            CompletableFuture<Void> sending = CompletableFuture.runAsync(() -> {
                try {
                    while (sent.get() < all) {
                        socket.getOutputStream().write(chunk);
                        sent.addAndGet(chunk.length);
                    }
                } catch (IOException closed) {
                    return; // the test is over
                }
            });
            assertThat(asked.await(60, TimeUnit.SECONDS)).isTrue();
            AtomicLong before = new AtomicLong(-1);
            await().atMost(Duration.ofMinutes(2))
                    .pollInterval(Duration.ofMillis(300))
                    .until(() -> before.getAndSet(sent.get()) == sent.get());
            assertThat(sent.get()).isLessThan(all);
            assertThat(sending).isNotDone();
            long waiting = inSockets(socket.getLocalPort(), gateway.port());
            // The chunk that the caller cannot write to its end counts as read.
            long read = sent.get() + chunk.length - waiting;
            System.out.printf("sent %d bytes, of which the gateway read at most %d%n", sent.get(), read);
            assertThat(waiting).isPositive();
            assertThat(read).isBetween(1L, MOST_READ_AHEAD);
        } finally {
            over.countDown();
        }
    }

    /** Returns how many bytes of a connection wait in its sockets: unacknowledged at the one end, unread at the other. */
    private static long inSockets(int caller, int server) throws IOException {
        Pattern from = Pattern.compile(".*?:%04X [0-9A-F]+:%04X \\w+ ([0-9A-F]+):.*".formatted(caller, server));
        Pattern to = Pattern.compile(".*?:%04X [0-9A-F]+:%04X \\w+ \\w+:([0-9A-F]+) .*".formatted(server, caller));
        long bytes = 0;
        for (String table : List.of("/proc/net/tcp", "/proc/net/tcp6")) {
            for (String line : Files.readAllLines(Path.of(table))) {
                for (Pattern queue : List.of(from, to)) {
                    Matcher waiting = queue.matcher(line.strip());
                    bytes += waiting.matches() ? Long.parseLong(waiting.group(1), 16) : 0;
                }
            }
        }
        return bytes;
    }
}
