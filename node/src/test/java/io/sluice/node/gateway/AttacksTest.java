package io.sluice.node.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.core.time.ManualClock;
import io.sluice.node.RawHttp2;
import io.sluice.node.gateway.chain.GatewayUnderTest;
import io.sluice.node.gateway.proxy.HttpForwarder;
import io.sluice.testkit.QuietClock;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Attacks on a whole gateway or on its chain, by their numbers. The long form is {@code ./sluice bench gateway-attacks}. */
@Timeout(300)
class AttacksTest {

    private static final String RULES = """
            rules:
              - { id: all, limits: [{ rate: 100000000/s }] }
              - { id: user, resource: /a/**, limits: [{ by: header.x-user, rate: 100000000/s }] }
            """;
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";

    /** The memory that the attackers in this process and the gateway may use together. */
    private static final long MEMORY = 64L << 20;

    /** The memory that the buffers of each event loop may use in addition. */
    private static final long MEMORY_OF_LOOP = 8L << 20;

    @Test
    void a22StreamsThatTheGatewayIsMadeToResetReachNoUpstream() throws Exception {
        try (RawUpstream upstream = RawUpstream.answering(OK);
                TestGateway gateway = TestGateway.to(upstream.origin())) {
            for (int i = 0; i < 10; i++) {
                try (RawHttp2 client = new RawHttp2(gateway.port(), 65_535)) {
                    client.provoke(50, RawHttp2.WINDOW_UPDATE, new byte[4]);
                    await().until(() -> client.seen(RawHttp2.RST_STREAM) == 50);
                    client.get("/");
                    await().until(() -> client.data() == 2);
                }
            }
            assertThat(upstream.heads).hasSize(10);
        }
    }

    @Test
    void a8AQueryAfterAnAbsentPathIsNoPath(@TempDir Path folder) throws Exception {
        String rules = "rules: [{ id: admin, resource: /admin/**, limits: [{ limit: 0, window: 1h }] },"
                + " { id: root, resource: /, limits: [{ limit: 2, window: 1h }] }]";
        try (RawUpstream upstream = RawUpstream.answering(OK);
                RunningGateway gateway =
                        RunningGateway.start(folder, rules, upstream.origin().toString());
                RepliesClient client = new RepliesClient(gateway.port())) {
            assertThat(client.send("GET", "http://a?/admin/x", "", "Host: a").status())
                    .isEqualTo(200);
            assertThat(upstream.last()).startsWith("GET /?/admin/x HTTP/1.1\r\n");
            assertThat(client.send("OPTIONS", "http://a", "", "Host: a").status())
                    .isEqualTo(200);
            assertThat(upstream.last()).startsWith("OPTIONS * HTTP/1.1\r\n");
            assertThat(client.send("GET", "http://a?/admin/x", "", "Host: a").status())
                    .as("both counted as /")
                    .isEqualTo(429);
            assertThat(client.send("GET", "http://a/admin/x?", "", "Host: a").status())
                    .isEqualTo(429);
            assertThat(client.send("GET", "?/admin/x", "", "Host: a").status()).isEqualTo(400);
            assertThat(upstream.heads).hasSize(2);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0",
                "-5",
                "NaN",
                "9223372036854775808",
                "1e308",
                "11",
                "-0",
                "Infinity",
                "0x10",
                "",
                "1,1",
                "\u00b2"
            })
    void a15NothingThatACallerSendsChangesHowManyPermitsARequestTakes(String permits) throws Exception {
        String[] names = {"permits", "cost", "tokens", "hits", "hits_addend", "weight", "n"};
        List<String> headers = new ArrayList<>();
        StringBuilder query = new StringBuilder("/a?x=1");
        for (String name : names) {
            headers.add("X-" + name.replace('_', '-') + ": " + permits);
            headers.add(name.replace('_', '-') + ": " + permits);
            headers.add("X-Sluice-" + name.replace('_', '-') + ": " + permits);
            query.append('&').append(name).append('=').append(permits.equals("\u00b2") ? "%C2%B2" : permits);
        }
        headers.add("RateLimit: \"r.0\";r=" + permits);
        headers.add("X-RateLimit-Remaining: " + permits);
        try (GatewayUnderTest gateway = new GatewayUnderTest()
                .rules("rules: [{ id: r, limits: [{ limit: 10, window: 1h }] }]")
                .start()) {
            for (int left = 9; left >= 7; left--) {
                RepliesClient.Reply reply = gateway.request(
                        "POST", query.toString(), "{\"permits\": " + permits + "}", headers.toArray(String[]::new));
                assertThat(reply.status()).isEqualTo(200);
                assertThat(reply.header("ratelimit")).startsWith("\"r.0\";r=" + left + ";");
            }
        }
    }

    @Test
    void a16RefusedRequestsOfAnyKindLeaveTheBucketUnchanged() throws Exception {
        ManualClock clock = QuietClock.at(0);
        try (GatewayUnderTest gateway =
                new GatewayUnderTest().clock(clock).rules("""
                        rules:
                          - { id: bucket, limits: [{ rate: 1/s, burst: 2 }] }
                          - { id: denied, resource: /denied, action: deny }
                          - { id: unused, match: { header.x-named: "1" }, limits: [{ limit: 1, window: 1h }] }
                        """).start()) {
            assertThat(gateway.get("/a").status()).isEqualTo(200);
            assertThat(gateway.get("/a").status()).isEqualTo(200);
            for (int second = 0; second < 3; second++) {
                for (int i = 0; i < 20; i++) {
                    assertThat(gateway.get("/a").status()).isEqualTo(429);
                    assertThat(gateway.get("/denied").status()).isEqualTo(403);
                    assertThat(gateway.get("/a%00").status()).isEqualTo(400);
                    assertThat(gateway.get("/a", "X-Named: 1", "X-Named: 2").status())
                            .isEqualTo(400);
                    assertThat(gateway.get("/a", "Host: nowhere").status()).isEqualTo(404);
                }
                clock.advance(Duration.ofSeconds(1));
                assertThat(gateway.get("/a").status()).isEqualTo(200);
            }
            assertThat(gateway.forwarded()).isEqualTo(5);
        }
    }

    /**
     * Measures what a request allocates: eight times the length may take eight times as much; steps that copy what they have read
     * would take 64 times as much. There are so many requests that quadratic steps would never finish.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {"/a/LONG", "/a/SLASHES", "/a/DOTS", "/a/PERCENT", "/a?q=LONG", "/a?SLASHES", "/a?q=AMPERSANDS"})
    void a18RequestsOf50KbTakeTimeInProportionToTheirLength(String form) throws Exception {
        try (GatewayUnderTest gateway = new GatewayUnderTest().rules("""
                        rules:
                          - { id: stars, match: { query.q: "*a*a*a*a*a*a*b" }, action: deny }
                          - { id: names, resource: "/{a}/{b}/{c}/{d}/{e}/**", limits: [{ rate: 100000000/s }] }
                          - { id: path, limits: [{ by: path, rate: 100000000/s }] }
                        """).start()) {
            long some = allocatedFor(gateway, path(form, 6_250));
            long eightTimes = allocatedFor(gateway, path(form, 50_000));
            assertThat(some).isPositive();
            assertThat(eightTimes).isLessThan(24 * some);
        }
    }

    private static String path(String form, int length) {
        return form.replace("LONG", "a".repeat(length))
                .replace("SLASHES", "a/".repeat(length / 2))
                .replace("DOTS", "a/../".repeat(length / 5))
                .replace("PERCENT", "%61".repeat(length / 3))
                .replace("AMPERSANDS", "1&".repeat(length / 2));
    }

    /** Returns the bytes that the event loops allocate for requests to a path, after a warm-up. */
    private static long allocatedFor(GatewayUnderTest gateway, String path) throws Exception {
        try (RepliesClient client = gateway.connect()) {
            ask(client, path, 10);
            Map<Long, Long> before = allocatedByEventLoops();
            ask(client, path, 30);
            return allocatedByEventLoops().entrySet().stream()
                    .mapToLong(loop -> loop.getValue() - before.getOrDefault(loop.getKey(), 0L))
                    .sum();
        }
    }

    private static void ask(RepliesClient client, String path, int times) throws Exception {
        for (int i = 0; i < times; i++) {
            client.write("GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n");
            assertThat(client.read().status()).isIn(200, 400);
        }
    }

    /** Returns the allocated bytes by thread; threads of other tests may be ending. */
    private static Map<Long, Long> allocatedByEventLoops() {
        com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        Map<Long, Long> bytes = new HashMap<>();
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            long allocated = threads.getThreadAllocatedBytes(thread.getId());
            if (thread.getName().startsWith("vert.x-eventloop-thread") && allocated >= 0) {
                bytes.put(thread.getId(), allocated);
            }
        }
        return bytes;
    }

    /** Slow attackers take the next step whenever another caller has been answered. */
    private static final class Pace {

        private long answered;
        private boolean over;

        synchronized void answered() {
            answered++;
            notifyAll();
        }

        synchronized void end() {
            over = true;
            notifyAll();
        }

        synchronized boolean isOver() {
            return over;
        }

        /** Waits for the next answer; false if there will be none. */
        synchronized boolean next() {
            long before = answered;
            try {
                while (!over && answered == before) {
                    wait();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
            return !over;
        }
    }

    /** Attacks that several attackers repeat at the same time. */
    enum Attack {
        SLOW_HEADS {
            @Override
            void once(int port, Pace pace) throws Exception {
                List<Socket> slow = new ArrayList<>();
                try {
                    for (int i = 0; i < 100; i++) {
                        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
                        slow.add(socket);
                        socket.getOutputStream().write("GET / HTTP/1.1\r\nHost: ".getBytes(StandardCharsets.US_ASCII));
                    }
                    while (pace.next()) {
                        for (Socket each : slow) {
                            each.getOutputStream().write('a');
                        }
                    }
                } finally {
                    for (Socket each : slow) {
                        each.close();
                    }
                }
            }
        },
        SLOW_BODIES {
            @Override
            void once(int port, Pace pace) throws Exception {
                try (RawHttp2 client = new RawHttp2(port, 65_535)) {
                    List<Integer> streams = new ArrayList<>();
                    for (int i = 0; i < 100; i++) {
                        streams.add(client.post("/"));
                    }
                    while (pace.next() && !client.isClosed()) {
                        for (int stream : streams) {
                            client.body(stream, 1);
                        }
                    }
                }
            }
        },
        RAPID_RESETS {
            @Override
            void once(int port, Pace pace) throws Exception {
                try (RawHttp2 client = new RawHttp2(port, 65_535)) {
                    while (!pace.isOver() && !client.isClosed()) {
                        client.reset(client.get("/"));
                    }
                }
            }
        },
        ENDLESS_HEADS {
            @Override
            void once(int port, Pace pace) throws Exception {
                try (RawHttp2 client = new RawHttp2(port, 65_535)) {
                    int stream = client.unendedHead("/");
                    while (!pace.isOver() && !client.isClosed()) {
                        client.moreHead(stream, new byte[0]);
                    }
                }
            }
        };

        abstract void once(int port, Pace pace) throws Exception;
    }

    /** The long form measures how much later other callers are served than without the attack. */
    @ParameterizedTest
    @EnumSource(Attack.class)
    void a22OtherCallersAreServedAndMemoryAndConnectionsStayBounded(Attack attack, @TempDir Path folder)
            throws Exception {
        int loops = Math.max(2, Runtime.getRuntime().availableProcessors());
        ExecutorService attackers = Executors.newCachedThreadPool();
        CountDownLatch begun = new CountDownLatch(3);
        Pace pace = new Pace();
        AtomicInteger open = new AtomicInteger();
        AtomicInteger mostOpen = new AtomicInteger();
        try (RawUpstream upstream = new RawUpstream(caller -> {
                    mostOpen.accumulateAndGet(open.incrementAndGet(), Math::max);
                    try {
                        while (!caller.message().isEmpty()) {
                            caller.send(OK);
                        }
                    } finally {
                        open.decrementAndGet();
                    }
                });
                RunningGateway gateway =
                        RunningGateway.start(folder, RULES, upstream.origin().toString())) {
            serve(gateway.port(), pace);
            long before = BackPressureTest.memory();
            for (int i = 0; i < 3; i++) {
                attackers.execute(() -> {
                    begun.countDown();
                    do {
                        try {
                            attack.once(gateway.port(), pace);
                        } catch (Exception cutOff) {
                            Thread.onSpinWait();
                        }
                    } while (pace.next());
                });
            }
            assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
            serve(gateway.port(), pace);
            assertThat(BackPressureTest.memory() - before).isLessThan(MEMORY + loops * MEMORY_OF_LOOP);
            assertThat(mostOpen).hasValueBetween(1, loops * HttpForwarder.MOST_CONNECTIONS);
            pace.end();
        } finally {
            pace.end();
            attackers.shutdown();
            assertThat(attackers.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
        }
    }

    /** Serves returning and new callers, all of whom must be answered. */
    private static void serve(int port, Pace pace) throws Exception {
        for (int caller = 0; caller < 20; caller++) {
            try (RepliesClient client = new RepliesClient(port)) {
                for (int i = 0; i < 10; i++) {
                    assertThat(client.send("GET", "/a/b", "", "X-User: u").status())
                            .isEqualTo(200);
                    pace.answered();
                }
            }
        }
    }
}
