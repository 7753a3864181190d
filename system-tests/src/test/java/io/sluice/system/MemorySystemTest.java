package io.sluice.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.sluice.testkit.SeededRandom;
import io.sluice.testkit.http.RawCaller;
import io.sluice.testkit.redis.RedisServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The plateau of a node's memory, by the number of requests. Its heap is resident from the start, so all growth is outside of it. What a
 * request leaves there would show after enough requests, however long they take.
 */
@Tag("long")
@Timeout(3_600)
class MemorySystemTest {

    private static final int CALLERS = 20_000;
    private static final int WARM_UP = 100_000;
    private static final int REQUESTS = SeededRandom.scaled(30_000, 300_000);

    /** The bytes that a request may leave outside of the heap. What libraries keep for a while has to fit as well. */
    private static final int LEFT_BYTES = 40;

    private static final String RULES = """
        rules:
          - { id: shop, service: shop, limits: [ { by: header.x-user, limit: 100, window: 1m } ] }
          - { id: checks, resource: /checks, limits: [ { algorithm: token_bucket, by: user, rate: 10/s, burst: 50 } ] }
          - { id: envoy, envoy: { domain: d, path: [{ key: user }] }, limits: [ { by: descriptor.user, limit: 100, window: 1m } ] }
        """;

    @TempDir
    private Path folder;

    @Test
    void onlyTheHeapGrows() throws Exception {
        HttpServer upstream = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        ExecutorService threads = Executors.newCachedThreadPool();
        upstream.setExecutor(threads);
        upstream.createContext("/", exchange -> {
            exchange.getRequestBody().readAllBytes();
            exchange.sendResponseHeaders(200, 2);
            exchange.getResponseBody().write(new byte[] {'h', 'i'});
            exchange.close();
        });
        upstream.start();
        Path rules = Files.writeString(folder.resolve("rules.yaml"), RULES);
        Path config = Files.writeString(
                folder.resolve("sluice.yaml"),
                "routes:\n  - { path: /**, service: shop, upstreams: [\"http://127.0.0.1:"
                        + upstream.getAddress().getPort() + "\"], auth: open }\n");
        try (SluiceProcess node = SluiceProcess.in(
                folder,
                Map.of(
                        "SLUICE_JAVA_OPTS",
                        "-Xms160m -Xmx160m -XX:+AlwaysPreTouch -XX:+UseSerialGC -XX:TieredStopAtLevel=1",
                        "SLUICE_API_PORT",
                        "0"),
                "node",
                "--config",
                config.toString(),
                "--rules",
                rules.toString(),
                "--redis",
                RedisServer.shared().uri())) {
            long start = residentKilobytes(node);
            send(node, threads, WARM_UP);
            long warm = residentKilobytes(node);
            send(node, threads, REQUESTS);
            long end = residentKilobytes(node);
            System.out.printf(
                    "resident: %.1f MB at the start, %.1f MB after %d requests, %.1f MB after %d more%n",
                    start / 1024.0, warm / 1024.0, WARM_UP, end / 1024.0, REQUESTS);
            assertThat((end - warm) * 1024).isLessThan((long) LEFT_BYTES * REQUESTS);
        } finally {
            upstream.stop(0);
            threads.shutdownNow();
        }
    }

    private static long residentKilobytes(SluiceProcess node) throws Exception {
        // Waits until it is up.
        node.port();
        return Files.readAllLines(Path.of("/proc", Long.toString(node.pid()), "status")).stream()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                .findFirst()
                .orElseThrow();
    }

    /** Sends requests through all three ports, from many users. */
    private static void send(SluiceProcess node, ExecutorService threads, int count) throws Exception {
        ManagedChannel channel = NettyChannelBuilder.forAddress(
                        "127.0.0.1", node.grpcPort(), InsecureChannelCredentials.create())
                .disableRetry()
                .build();
        try {
            List<Future<?>> all = new ArrayList<>();
            int each = count / 9;
            for (int i = 0; i < 3; i++) {
                int first = i * each;
                all.add(threads.submit(() -> http(node.gatewayPort(), "/orders", first, each)));
                all.add(threads.submit(() -> http(node.port(), "/v1/check", first, each)));
                all.add(threads.submit(() -> grpc(channel, first, each)));
            }
            for (Future<?> one : all) {
                one.get();
            }
        } finally {
            channel.shutdownNow();
        }
    }

    private static boolean http(int port, String path, int first, int count) throws Exception {
        try (RawCaller caller = new RawCaller(port)) {
            for (int i = first; i < first + count; i++) {
                String user = "u-" + i % CALLERS;
                String body = path.equals("/orders")
                        ? "x".repeat(i % 3_000)
                        : "{\"attributes\": {\"path\": \"/checks\", \"user\": \"" + user + "\"}}";
                int status = caller.send(("POST " + path + " HTTP/1.1\r\nHost: shop\r\nX-User: " + user
                                        + "\r\nContent-Length: " + body.length() + "\r\n\r\n" + body)
                                .getBytes(StandardCharsets.US_ASCII))
                        .status();
                assertThat(status).isIn(200, 429);
            }
        }
        return true;
    }

    private static boolean grpc(ManagedChannel channel, int first, int count) {
        for (int i = first; i < first + count; i++) {
            var unused = RateLimitServiceGrpc.newBlockingStub(channel)
                    .shouldRateLimit(RateLimitRequest.newBuilder()
                            .setDomain("d")
                            .addDescriptors(RateLimitDescriptor.newBuilder()
                                    .addEntries(RateLimitDescriptor.Entry.newBuilder()
                                            .setKey("user")
                                            .setValue("u-" + i % CALLERS)))
                            .build());
        }
        return true;
    }
}
