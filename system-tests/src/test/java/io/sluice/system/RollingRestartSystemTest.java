package io.sluice.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.sluice.testkit.Await;
import io.sluice.testkit.http.RawCaller;
import io.sluice.testkit.process.HaproxyServer;
import io.sluice.testkit.process.Ports;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * F28 with real processes and their usual {@code --stop-delay}: three nodes behind a HAProxy that polls their health are restarted one
 * after the other, under 2,000 requests per second. {@code RollingRestartTest} of the module {@code node} needs no real time.
 */
@Tag("long")
@Timeout(1_800)
class RollingRestartSystemTest {

    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private static final int CALLERS_PER_DOOR = 4;

    /** A tenth more than 2,000, because the machine may pause. {@code -Dsluice.tests.rate=500} fits a slower one. */
    private static final long REQUESTS_PER_SECOND = Long.getLong("sluice.tests.rate", 2_200);

    private static final List<String> DOORS = List.of("kept", "once", "http2", "checks", "grpc");

    private static final RateLimitRequest QUESTION = RateLimitRequest.newBuilder()
            .setDomain("d")
            .addDescriptors(RateLimitDescriptor.newBuilder()
                    .addEntries(
                            RateLimitDescriptor.Entry.newBuilder().setKey("a").setValue("b")))
            .build();

    @TempDir
    private Path folder;

    private final Queue<String> lost = new ConcurrentLinkedQueue<>();
    private final AtomicLong answered = new AtomicLong();
    private final List<Integer> ports = DOORS.stream().map(door -> Ports.free()).toList();
    private final Semaphore due = new Semaphore(0);
    private volatile boolean ended;

    /** A process that keeps its ports when it is started again. */
    private final class Member {

        private final String name;
        private final int gateway = Ports.free();
        private final int api = Ports.free();
        private final int grpc = Ports.free();
        private SluiceProcess process;

        Member(String name) throws IOException {
            this.name = name;
            start();
        }

        void start() throws IOException {
            process = SluiceProcess.in(
                    folder,
                    Map.of(
                            "SLUICE_GATEWAY_PORT", String.valueOf(gateway),
                            "SLUICE_API_PORT", String.valueOf(api),
                            "SLUICE_GRPC_PORT", String.valueOf(grpc),
                            "SLUICE_STOP_DELAY", "5s"),
                    "node",
                    "--config",
                    "sluice.yaml");
        }

        String server(String door) {
            int port = door.equals("checks") ? api : door.equals("grpc") ? grpc : gateway;
            String proto = door.equals("http2") || door.equals("grpc") ? " proto h2" : "";
            return "  server %s 127.0.0.1:%d%s check check-proto h1 port %d inter 100ms fall 2 rise 1%n"
                    .formatted(name, port, proto, api);
        }
    }

    @Test
    void aRollingRestartLosesNoRequest() throws Exception {
        HttpServer upstream = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        upstream.createContext("/", exchange -> {
            exchange.getRequestBody().readAllBytes();
            exchange.sendResponseHeaders(200, 2);
            exchange.getResponseBody().write(new byte[] {'h', 'i'});
            exchange.close();
        });
        ExecutorService threads = Executors.newCachedThreadPool();
        ScheduledExecutorService rate = Executors.newSingleThreadScheduledExecutor();
        upstream.setExecutor(threads);
        upstream.start();
        Files.writeString(
                folder.resolve("sluice.yaml"),
                "routes:\n  - { path: /**, service: shop, upstreams: [\"http://127.0.0.1:"
                        + upstream.getAddress().getPort() + "\"], auth: open }\n");
        List<Member> members = new ArrayList<>();
        try {
            for (String name : List.of("a", "b", "c")) {
                members.add(new Member(name));
            }
            try (HaproxyServer haproxy = HaproxyServer.start(settings(members))) {
                members.forEach(member -> Await.until(member.name, PATIENCE, () -> haproxy.isUp(member.name)));
                long started = System.nanoTime();
                rate.scheduleAtFixedRate(
                        due::release, 0, TimeUnit.SECONDS.toNanos(1) / REQUESTS_PER_SECOND, TimeUnit.NANOSECONDS);
                for (int door = 0; door < DOORS.size(); door++) {
                    for (int caller = 0; caller < CALLERS_PER_DOOR; caller++) {
                        int index = door;
                        threads.execute(() -> call(DOORS.get(index), ports.get(index)));
                    }
                }
                for (Member member : members) {
                    pass(2_000);
                    assertThat(member.process.stop())
                            .as(member.process.printed())
                            .isZero();
                    pass(2_000);
                    member.start();
                    Await.until(member.name, PATIENCE, () -> haproxy.isUp(member.name));
                }
                pass(2_000);
                ended = true;
                System.out.printf(
                        "%d requests, %d per second%n",
                        answered.get(),
                        answered.get() / Math.max(1, TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - started)));
            }
        } finally {
            ended = true;
            members.forEach(member -> member.process.close());
            upstream.stop(0);
            threads.shutdownNow();
            rate.shutdownNow();
        }
        assertThat(lost).isEmpty();
    }

    /** Waits until this many more requests have been answered. */
    private void pass(int requests) {
        long goal = answered.get() + requests;
        Await.until(requests + " requests", PATIENCE, () -> answered.get() >= goal || !lost.isEmpty());
    }

    private String settings(List<Member> members) {
        StringBuilder all = new StringBuilder();
        for (String door : DOORS) {
            all.append("frontend %s%n  bind 127.0.0.1:%d%s%n  default_backend %s%n"
                    .formatted(door, ports.get(DOORS.indexOf(door)), door.equals("grpc") ? " proto h2" : "", door));
            all.append("backend %s%n  http-reuse always%n  option httpchk GET /health%n  http-check expect status 200%n"
                    .formatted(door));
            if (door.equals("once")) {
                all.append("  option httpclose\n");
            }
            members.forEach(member -> all.append(member.server(door)));
        }
        return all.toString();
    }

    /** Sends requests when they are due, until the test has ended. Nothing is sent twice. */
    private void call(String door, int port) {
        try (Door open = door.equals("grpc") ? grpc(port) : http(door, port)) {
            while (!ended) {
                due.acquire();
                String status = open.ask();
                if (!status.isEmpty()) {
                    lost.add(door + ": " + status);
                }
                answered.incrementAndGet();
            }
        } catch (IOException | StatusRuntimeException e) {
            if (!ended) {
                lost.add(door + ": " + e);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** A way to a node. */
    private interface Door extends AutoCloseable {

        /** Sends a request and returns what is wrong with the answer; empty if nothing is. */
        String ask() throws IOException;

        @Override
        void close() throws IOException;
    }

    /** Reads and writes the socket itself: a client library would need more of the machine than the nodes do. */
    private static Door http(String door, int port) throws IOException {
        String body = "{\"attributes\": {}}";
        byte[] request = ("POST " + (door.equals("checks") ? "/v1/check" : "/orders")
                        + " HTTP/1.1\r\nHost: shop\r\nContent-Length: " + body.length() + "\r\n\r\n" + body)
                .getBytes(StandardCharsets.US_ASCII);
        RawCaller caller = new RawCaller(port);
        return new Door() {
            @Override
            public String ask() throws IOException {
                int status = caller.send(request).status();
                return status == 200 ? "" : String.valueOf(status);
            }

            @Override
            public void close() throws IOException {
                caller.close();
            }
        };
    }

    private static Door grpc(int port) {
        ManagedChannel channel = NettyChannelBuilder.forAddress("127.0.0.1", port, InsecureChannelCredentials.create())
                .disableRetry()
                .build();
        return new Door() {
            @Override
            public String ask() {
                var unused = RateLimitServiceGrpc.newBlockingStub(channel)
                        .withDeadlineAfter(5, TimeUnit.MINUTES)
                        .shouldRateLimit(QUESTION);
                return "";
            }

            @Override
            public void close() {
                channel.shutdownNow();
            }
        };
    }
}
