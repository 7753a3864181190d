package io.sluice.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.sluice.node.config.DoorSettings;
import io.sluice.node.config.GrpcSettings;
import io.sluice.node.config.NodeConfig;
import io.sluice.node.config.NodeConfig.RoutesFrom;
import io.sluice.node.config.NodeConfig.RulesFrom;
import io.sluice.node.gateway.RawClient;
import io.sluice.node.gateway.RawUpstream;
import io.sluice.runtime.Store;
import io.sluice.testkit.process.HaproxyServer;
import io.sluice.testkit.process.Ports;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** F28. Three nodes behind a real load balancer that asks for their health. They are restarted one after the other while callers go on. */
@Timeout(900)
class RollingRestartTest {

    private static final int CALLERS = 3;

    /** How many more requests each door answers before the next step. */
    private static final int STEP = 20;

    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";
    private static final String ORDER = "POST /orders HTTP/1.1\r\nHost: shop\r\nContent-Length: 5\r\n\r\nhello";
    private static final String CHECK =
            "POST /v1/check HTTP/1.1\r\nHost: shop\r\nContent-Length: 18\r\n\r\n{\"attributes\": {}}";

    private static final String BALANCER = """
            frontend kept
              bind 127.0.0.1:%d
              default_backend kept
            frontend once
              bind 127.0.0.1:%d
              default_backend once
            frontend http2
              bind 127.0.0.1:%d
              default_backend http2
            frontend checks
              bind 127.0.0.1:%d
              default_backend checks
            frontend grpc
              bind 127.0.0.1:%d proto h2
              default_backend grpc
            """;

    @TempDir
    private Path folder;

    private final Queue<String> lost = new ConcurrentLinkedQueue<>();
    private final List<Door> doors = new ArrayList<>();
    private volatile boolean over;

    /** What callers use, and how often they were answered. */
    private record Door(String name, int port, Call call, AtomicLong answered) {}

    /** Calls again and again until the test is over. Throws what no caller may see. */
    @FunctionalInterface
    private interface Call {
        void repeat(Door door) throws IOException;
    }

    /** A node that keeps its ports. */
    private static final class Member {

        private final String name;
        private final NodeConfig config;
        private final int gateway = Ports.free();
        private final int api = Ports.free();
        private final int grpc = Ports.free();
        private volatile Node node;

        Member(String name, Path routes, Runnable grace) throws Exception {
            this.name = name;
            this.config = NodeConfig.inProcess(new RulesFrom.Nowhere(), api)
                    .withGateway(gateway, new RoutesFrom.File(routes))
                    .withGrpc(new GrpcSettings(DoorSettings.onLoopback(grpc), false));
            start(grace);
        }

        void start(Runnable grace) throws Exception {
            node = Node.start(config, Store::redis, grace, () -> 0);
        }

        String server(int port, String more) {
            return "  server %s 127.0.0.1:%d %s check check-proto h1 port %d inter 20ms fall 1 rise 1%n"
                    .formatted(name, port, more, api);
        }
    }

    @Test
    void noRequestIsLost() throws Exception {
        ExecutorService threads = Executors.newCachedThreadPool();
        List<Member> members = new ArrayList<>();
        try (RawUpstream upstream = new RawUpstream(RollingRestartTest::serve)) {
            Path routes = Files.writeString(
                    folder.resolve("sluice.yaml"),
                    "routes:\n  - { path: /**, service: shop, upstreams: [\"" + upstream.origin()
                            + "\"], auth: open }\n");
            List<HaproxyServer> balancer = new ArrayList<>();
            for (String name : List.of("a", "b", "c")) {
                members.add(new Member(name, routes, () -> leave(balancer.get(0), name)));
            }
            doors.add(new Door("kept", Ports.free(), door -> calls(door, ORDER, true), new AtomicLong()));
            doors.add(new Door("once", Ports.free(), door -> calls(door, ORDER, false), new AtomicLong()));
            doors.add(new Door("http2", Ports.free(), door -> calls(door, ORDER, true), new AtomicLong()));
            doors.add(new Door("checks", Ports.free(), door -> calls(door, CHECK, true), new AtomicLong()));
            doors.add(new Door("grpc", Ports.free(), this::asks, new AtomicLong()));
            try (HaproxyServer haproxy = HaproxyServer.start(settings(members))) {
                balancer.add(haproxy);
                members.forEach(member -> await().until(() -> haproxy.isUp(member.name)));
                doors.forEach(door -> {
                    for (int i = 0; i < CALLERS; i++) {
                        threads.execute(() -> call(door));
                    }
                });
                for (int round = Integer.getInteger("sluice.tests.scale", 1); round > 0; round--) {
                    for (Member member : members) {
                        step();
                        member.node.close();
                        step();
                        member.start(() -> leave(haproxy, member.name));
                        await().until(() -> haproxy.isUp(member.name));
                    }
                }
                step();
                over = true;
                threads.shutdown();
                assertThat(threads.awaitTermination(5, TimeUnit.MINUTES)).isTrue();
            }
        } finally {
            over = true;
            threads.shutdownNow();
            members.forEach(member -> member.node.close());
        }
        assertThat(lost).isEmpty();
    }

    /** Keeps the doors of a stopping node open until the balancer sends nothing new. */
    private void leave(HaproxyServer haproxy, String name) {
        if (!over) {
            await().atMost(Duration.ofMinutes(5)).until(() -> haproxy.isDown(name));
            step();
        }
    }

    private void step() {
        for (Door door : doors) {
            long before = door.answered.get();
            await().atMost(Duration.ofMinutes(5)).until(() -> door.answered.get() >= before + STEP || !lost.isEmpty());
        }
    }

    private String settings(List<Member> members) {
        StringBuilder all = new StringBuilder(
                BALANCER.formatted(doors.stream().map(Door::port).toArray()));
        for (Door door : doors) {
            all.append("backend ")
                    .append(door.name)
                    .append("\n  http-reuse always\n  option httpchk GET /health\n  http-check expect status 200\n");
            if (door.name.equals("once")) {
                all.append("  option httpclose\n");
            }
            for (Member member : members) {
                all.append(
                        switch (door.name) {
                            case "http2" -> member.server(member.gateway, "proto h2");
                            case "checks" -> member.server(member.api, "");
                            case "grpc" -> member.server(member.grpc, "proto h2");
                            default -> member.server(member.gateway, "");
                        });
            }
        }
        return all.toString();
    }

    private void call(Door door) {
        while (!over) {
            try {
                door.call.repeat(door);
            } catch (IOException | StatusRuntimeException e) {
                lost.add(door.name + ": " + e);
            }
        }
    }

    /** @param keeps whether a connection is used again */
    private void calls(Door door, String request, boolean keeps) throws IOException {
        try (RawClient client = new RawClient(new Socket(InetAddress.getLoopbackAddress(), door.port))) {
            while (!over) {
                String answer = client.send(request).message();
                if (!answer.startsWith("HTTP/1.1 200 ")) {
                    lost.add(door.name + ": " + answer);
                    return;
                }
                door.answered.incrementAndGet();
                if (!keeps || answer.toLowerCase(Locale.ROOT).contains("\r\nconnection: close\r\n")) {
                    return;
                }
            }
        }
    }

    private void asks(Door door) {
        RateLimitRequest question = RateLimitRequest.newBuilder()
                .setDomain("d")
                .addDescriptors(RateLimitDescriptor.newBuilder()
                        .addEntries(RateLimitDescriptor.Entry.newBuilder()
                                .setKey("a")
                                .setValue("b")))
                .build();
        ManagedChannel channel = NettyChannelBuilder.forAddress(
                        "127.0.0.1", door.port, InsecureChannelCredentials.create())
                .disableRetry()
                .build();
        try {
            while (!over) {
                var unused = RateLimitServiceGrpc.newBlockingStub(channel)
                        .withDeadlineAfter(5, TimeUnit.MINUTES)
                        .shouldRateLimit(question);
                door.answered.incrementAndGet();
            }
        } finally {
            channel.shutdownNow();
        }
    }

    private static void serve(RawClient caller) throws IOException {
        while (!caller.message().isEmpty()) {
            caller.send(OK);
        }
    }
}
