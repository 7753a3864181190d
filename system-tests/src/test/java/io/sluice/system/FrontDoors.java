package io.sluice.system;

import com.sun.net.httpserver.HttpServer;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.WebApplicationType;

/**
 * Every way into Sluice, each really running, with the same rules and the same Redis: the decision API, the gateway and the
 * rate limit service of a node, a servlet application and a WebFlux application. A request carries its user in the header
 * {@code x-user} or, from Envoy, in the descriptor {@code user}.
 */
final class FrontDoors implements AutoCloseable {

    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private final Deque<AutoCloseable> running = new ArrayDeque<>();
    private final Map<String, Door> doors = new LinkedHashMap<>();
    private final SluiceProcess node;

    /** One of them. */
    @FunctionalInterface
    interface Door {

        /** Sends a request of a user, and returns whether it passed. */
        boolean passes(String user) throws Exception;
    }

    private FrontDoors(HttpServer upstream, SluiceProcess node) {
        this.node = node;
        running.push(() -> upstream.stop(0));
        running.push(node);
    }

    static FrontDoors open(Path folder, Path rules, String redisUri) throws Exception {
        HttpServer upstream = upstream();
        FrontDoors all = new FrontDoors(upstream, start(folder, upstream, rules, redisUri));
        try {
            all.openNode();
            all.openApplication("servlet", WebApplicationType.SERVLET, rules, redisUri);
            all.openApplication("webflux", WebApplicationType.REACTIVE, rules, redisUri);
        } catch (Exception | Error e) {
            all.close();
            throw e;
        }
        return all;
    }

    /** Returns the doors by name. */
    Map<String, Door> all() {
        return doors;
    }

    /** Returns whether a user has nothing left in Redis. */
    boolean isUsedUp(String user) throws Exception {
        String look = check(node, user, 0).body();
        return look.contains("\"allowed\":false") && look.contains("\"degraded\":null");
    }

    private static SluiceProcess start(Path folder, HttpServer upstream, Path rules, String redisUri)
            throws IOException {
        Path config = Files.writeString(folder.resolve("sluice.yaml"), """
            routes:
              - { path: /**, service: shop, upstreams: ["http://127.0.0.1:%d"] }
            """.formatted(
                        upstream.getAddress().getPort()));
        return SluiceProcess.run(
                "node",
                "--api-port",
                "0",
                "--config",
                config.toString(),
                "--rules",
                rules.toString(),
                "--redis",
                redisUri);
    }

    private void openNode() throws Exception {
        ManagedChannel channel = NettyChannelBuilder.forAddress(
                        "127.0.0.1", node.grpcPort(), InsecureChannelCredentials.create())
                .build();
        running.push(channel::shutdownNow);
        doors.put("api", user -> passed(check(node, user, 1).statusCode()));
        doors.put("gateway", user -> get(node.gatewayPort(), user));
        doors.put("envoy", user -> ask(channel, user));
    }

    private void openApplication(String name, WebApplicationType type, Path rules, String redisUri) {
        LimitedApplication application = LimitedApplication.start(type, redisUri, rules);
        running.push(application);
        int port = application.port();
        doors.put(name, user -> get(port, user));
    }

    private static HttpResponse<String> check(SluiceProcess node, String user, int permits) throws Exception {
        return node.post("""
            {"attributes": {"header.x-user": "%s"}, "permits": %d}\
            """.formatted(user, permits));
    }

    private static HttpServer upstream() throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            byte[] body = "served".getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        return server;
    }

    private static boolean get(int port, String user) throws Exception {
        HttpResponse<String> answer = HTTP.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/"))
                        .header("X-User", user)
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        boolean passed = passed(answer.statusCode());
        if (passed != answer.body().equals("served")) {
            throw new AssertionError(answer.statusCode() + ": " + answer.body());
        }
        return passed;
    }

    private static boolean passed(int status) {
        return switch (status) {
            case 200 -> true;
            case 429 -> false;
            default -> throw new AssertionError("status: " + status + " (expected: 200 or 429)");
        };
    }

    private static boolean ask(ManagedChannel channel, String user) {
        RateLimitDescriptor descriptor = RateLimitDescriptor.newBuilder()
                .addEntries(
                        RateLimitDescriptor.Entry.newBuilder().setKey("user").setValue(user))
                .build();
        return RateLimitServiceGrpc.newBlockingStub(channel)
                        .withDeadlineAfter(60, TimeUnit.SECONDS)
                        .shouldRateLimit(RateLimitRequest.newBuilder()
                                .setDomain("shop")
                                .addDescriptors(descriptor)
                                .build())
                        .getOverallCode()
                == Code.OK;
    }

    @Override
    public void close() throws Exception {
        while (!running.isEmpty()) {
            running.pop().close();
        }
    }
}
