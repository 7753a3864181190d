package io.sluice.node.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.time.ManualClock;
import io.sluice.node.RawHttp2;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Attacks on a whole gateway, or on its chain, by the numbers of their list. The long form is {@code ./sluice bench gateway-attacks}. */
@Timeout(120)
class AttacksTest {

    private static final String RULES = """
            rules:
              - { id: all, limits: [{ rate: 100000000/s }] }
              - { id: user, resource: /a/**, limits: [{ by: header.x-user, rate: 100000000/s }] }
            """;
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";

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
    void a15NothingThatACallerWritesChangesHowManyPermitsARequestTakes(String permits) throws Exception {
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
    void a16RefusedRequestsOfAnyKindLeaveTheBucketAsItWas() throws Exception {
        ManualClock clock = ManualClock.at(0);
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

    @ParameterizedTest
    @ValueSource(
            strings = {"/a/LONG", "/a/SLASHES", "/a/DOTS", "/a/PERCENT", "/a?q=LONG", "/a?SLASHES", "/a?q=AMPERSANDS"})
    void a18RequestsOf50KbAreDecidedInMilliseconds(String form) throws Exception {
        String path = form.replace("LONG", "a".repeat(50_000))
                .replace("SLASHES", "a/".repeat(25_000))
                .replace("DOTS", "a/../".repeat(10_000))
                .replace("PERCENT", "%61".repeat(16_000))
                .replace("AMPERSANDS", "1&".repeat(25_000));
        try (GatewayUnderTest gateway = new GatewayUnderTest().rules("""
                        rules:
                          - { id: stars, match: { query.q: "*a*a*a*a*a*a*b" }, action: deny }
                          - { id: names, resource: "/{a}/{b}/{c}/{d}/{e}/**", limits: [{ rate: 100000000/s }] }
                          - { id: path, limits: [{ by: path, rate: 100000000/s }] }
                        """).start()) {
            long fastest = Long.MAX_VALUE;
            try (RepliesClient client = gateway.connect()) {
                for (int i = 0; i < 200 && fastest > 5_000_000; i++) {
                    long begin = System.nanoTime();
                    client.write("GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n");
                    assertThat(client.read().status()).isIn(200, 400);
                    fastest = Math.min(fastest, System.nanoTime() - begin);
                }
            }
            assertThat(Duration.ofNanos(fastest)).isLessThanOrEqualTo(Duration.ofMillis(5));
        }
    }

    /** Each is done again and again by several at once, as fast as it is let. */
    enum Attack {
        SLOW_HEADS {
            @Override
            void once(int port, AtomicBoolean over) throws Exception {
                List<Socket> slow = new ArrayList<>();
                try {
                    for (int i = 0; i < 100; i++) {
                        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
                        slow.add(socket);
                        socket.getOutputStream().write("GET / HTTP/1.1\r\nHost: ".getBytes(StandardCharsets.US_ASCII));
                    }
                    while (!over.get()) {
                        for (Socket each : slow) {
                            each.getOutputStream().write('a');
                        }
                        TimeUnit.MILLISECONDS.sleep(20);
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
            void once(int port, AtomicBoolean over) throws Exception {
                try (RawHttp2 client = new RawHttp2(port, 65_535)) {
                    List<Integer> streams = new ArrayList<>();
                    for (int i = 0; i < 100; i++) {
                        streams.add(client.post("/"));
                    }
                    while (!over.get() && !client.isClosed()) {
                        for (int stream : streams) {
                            client.body(stream, 1);
                        }
                        TimeUnit.MILLISECONDS.sleep(100);
                    }
                }
            }
        },
        RAPID_RESETS {
            @Override
            void once(int port, AtomicBoolean over) throws Exception {
                try (RawHttp2 client = new RawHttp2(port, 65_535)) {
                    while (!over.get() && !client.isClosed()) {
                        client.reset(client.get("/"));
                    }
                }
                TimeUnit.MILLISECONDS.sleep(20);
            }
        },
        ENDLESS_HEADS {
            @Override
            void once(int port, AtomicBoolean over) throws Exception {
                try (RawHttp2 client = new RawHttp2(port, 65_535)) {
                    int stream = client.unendedHead("/");
                    while (!over.get() && !client.isClosed()) {
                        client.moreHead(stream, new byte[0]);
                    }
                }
                TimeUnit.MILLISECONDS.sleep(20);
            }
        };

        abstract void once(int port, AtomicBoolean over) throws Exception;
    }

    /** Four times and a floor, where the long form asks for two: other processes share the machine with a test. */
    @ParameterizedTest
    @EnumSource(Attack.class)
    void a22OtherCallersAreServedMeanwhile(Attack attack, @TempDir Path folder) throws Exception {
        Duration floor = Duration.ofSeconds(1);
        ExecutorService attackers = Executors.newCachedThreadPool();
        AtomicBoolean over = new AtomicBoolean();
        AtomicInteger times = new AtomicInteger();
        try (RawUpstream upstream = RawUpstream.answering(OK);
                RunningGateway gateway =
                        RunningGateway.start(folder, RULES, upstream.origin().toString())) {
            p99(gateway.port());
            Duration before = p99(gateway.port());
            for (int i = 0; i < 3; i++) {
                attackers.execute(() -> {
                    while (!over.get()) {
                        try {
                            times.incrementAndGet();
                            attack.once(gateway.port(), over);
                        } catch (Exception cutOff) {
                            Thread.onSpinWait();
                        }
                    }
                });
            }
            Duration meanwhile = p99(gateway.port());
            over.set(true);
            assertThat(times).hasPositiveValue();
            assertThat(meanwhile)
                    .isLessThanOrEqualTo(before.multipliedBy(4).compareTo(floor) > 0 ? before.multipliedBy(4) : floor);
        } finally {
            over.set(true);
            attackers.shutdown();
            assertThat(attackers.awaitTermination(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    private static Duration p99(int port) throws Exception {
        long[] nanos = new long[500];
        try (RepliesClient client = new RepliesClient(port)) {
            for (int i = 0; i < nanos.length; i++) {
                long begin = System.nanoTime();
                assertThat(client.send("GET", "/a/b", "", "X-User: u").status()).isEqualTo(200);
                nanos[i] = System.nanoTime() - begin;
            }
        }
        Arrays.sort(nanos);
        return Duration.ofNanos(nanos[nanos.length * 99 / 100]);
    }
}
