package io.sluice.node.envoy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.UInt64Value;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.NettyChannelBuilder;
import io.sluice.core.Limiter;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.time.Clock;
import io.sluice.node.Node;
import io.sluice.node.RunningNode;
import io.sluice.node.access.DoorTokens;
import io.sluice.node.config.DoorAccess;
import io.sluice.node.config.DoorSettings;
import io.sluice.node.config.GrpcSettings;
import io.sluice.node.config.NodeConfig;
import io.sluice.node.config.NodeConfig.RulesFrom;
import io.sluice.node.config.StartFailedException;
import io.sluice.node.gateway.RawClient;
import io.sluice.node.gateway.config.TlsSettings;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.runtime.Store;
import io.sluice.testkit.redis.RedisServer;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(300)
class GrpcDoorTest {

    private static final String RULES = """
            domain: d
            descriptors:
              - { key: a, rate_limit: { unit: day, requests_per_unit: 3 } }
              - { key: b, rate_limit: { unit: day, requests_per_unit: 5 } }
            """;

    @TempDir
    Path folder;

    @Test
    void serves() throws Exception {
        try (RunningNode node = RunningNode.start(config(GrpcSettings.on(0)), Store::redis);
                Caller caller = Caller.of(node)) {
            assertThat(caller.health()).isEqualTo(ServingStatus.SERVING);
            assertThat(codes(caller, 5, "a=x", "b=x")).containsExactly("OK", "OK", "OK", "OVER_LIMIT", "OVER_LIMIT");
            assertThat(codes(caller, 3, "b=x")).containsExactly("OK", "OK", "OVER_LIMIT");
            assertThat(node.get("/metrics").body())
                    .contains("rate_limit_rejected_total{limit=\"d.a.0\",mode=\"local\",rule=\"d.a\"} 2.0");
        }
    }

    @Test
    void answersTheSameOverHttp() throws Exception {
        try (RunningNode node = RunningNode.start(config(GrpcSettings.on(0)), Store::redis)) {
            String body =
                    "{\"domain\":\"d\",\"descriptors\":[{\"entries\":[{\"key\":\"a\",\"value\":\"x\"}]}],\"hitsAddend\":3}";
            assertThat(json(node, body).statusCode()).isEqualTo(200);
            assertThat(json(node, body).statusCode()).isEqualTo(429);
            assertThat(json(node, "{").statusCode()).isEqualTo(400);
            assertThat(node.get("/json").statusCode()).isEqualTo(405);
        }
    }

    @Test
    void aBodyThatIsNotJsonIsABadRequest() throws Exception {
        String good = "{\"domain\":\"d\",\"descriptors\":[{\"entries\":[{\"key\":\"a\",\"value\":\"x\"}]}]}";
        try (RunningNode node = RunningNode.start(config(GrpcSettings.on(0)), Store::redis)) {
            for (String bad : List.of(
                    good.replace('"', '\''),
                    good.replace("\"domain\"", "domain"),
                    good.replace("\"domain\":\"d\"", "\"domain\":\"other\",\"domain\":\"d\""),
                    good.replace("\"value\":\"x\"", "\"value\":\"x\",\"value\":\"y\""),
                    good.replace("}]}]}", "},]}]}"),
                    good.replace("}]}]}", "}]}]}//"),
                    good + " garbage",
                    good + good,
                    "# a comment\n" + good)) {
                HttpResponse<String> answer = json(node, bad);
                assertThat(answer.statusCode()).as(bad).isEqualTo(400);
                assertThat(answer.body()).contains("(expected: ");
            }
            byte[] bytes = good.getBytes(StandardCharsets.UTF_8);
            bytes[good.indexOf('x')] = (byte) 0xff;
            HttpResponse<String> notText =
                    node.send(node.request("/json").POST(HttpRequest.BodyPublishers.ofByteArray(bytes)));
            assertThat(notText.statusCode()).isEqualTo(400);
            assertThat(notText.body()).contains("not UTF-8");
            assertThat(json(node, good).body()).contains("\"limitRemaining\":2");
        }
    }

    @Test
    void metricsShowLimitsOfRequestsAndRequestsThatAreTooLarge() throws Exception {
        String brought = "{\"domain\":\"%s\",\"descriptors\":[{\"entries\":[{\"key\":\"a\",\"value\":\"x\"}],"
                + "\"limit\":{\"requestsPerUnit\":2,\"unit\":\"DAY\"}}]}";
        String large = "{\"domain\":\"%s\",\"descriptors\":[" + "{},".repeat(256) + "{}]}";
        try (RunningNode node = RunningNode.start(config(GrpcSettings.on(0)), Store::redis)) {
            for (int i = 0; i < 5; i++) {
                json(node, brought.formatted("d"));
                assertThat(json(node, large.formatted("d")).statusCode()).isEqualTo(429);
                json(node, brought.formatted("chosen-" + i));
                assertThat(json(node, large.formatted("chosen-" + i)).statusCode())
                        .isEqualTo(429);
            }
            json(node, large.formatted("d").replace("{}", "{\"hitsAddend\":\"0\"}"));

            assertThat(node.get("/metrics").body())
                    .contains(
                            "rate_limit_allowed_total{limit=\"d.request-limit.0\",mode=\"local\",rule=\"d.request-limit\"} 2.0",
                            "rate_limit_rejected_total{limit=\"d.request-limit.0\",mode=\"local\",rule=\"d.request-limit\"} 3.0",
                            "rate_limit_rejected_total{limit=\"\",mode=\"local\",rule=\"d.request-size\"} 5.0",
                            "rate_limit_rejected_total{limit=\"\",mode=\"local\",rule=\"request-size\"} 5.0")
                    .doesNotContain("chosen");
        }
    }

    @Test
    void countsLikeTheReferenceIfConfigured() throws Exception {
        GrpcSettings settings = new GrpcSettings(DoorSettings.onLoopback(0), true);
        try (RunningNode node = RunningNode.start(config(settings), Store::redis);
                Caller caller = Caller.of(node)) {
            assertThat(codes(caller, 5, "a=x", "b=x")).containsExactly("OK", "OK", "OK", "OVER_LIMIT", "OVER_LIMIT");
            assertThat(codes(caller, 1, "b=x")).containsExactly("OVER_LIMIT");
        }
    }

    @Test
    void twoNodesOnOneRedisCountTogether() throws Exception {
        RedisServer redis = RedisServer.shared();
        for (boolean reference : new boolean[] {false, true}) {
            NodeConfig config = slow("d" + reference)
                    .withGrpc(new GrpcSettings(DoorSettings.onLoopback(0), reference))
                    .withRedis(redis.uri());
            try (RunningNode one = RunningNode.onRedis(config);
                    RunningNode two = RunningNode.onRedis(config);
                    Caller first = Caller.of(one);
                    Caller second = Caller.of(two)) {
                assertThat(first.ask("d" + reference, "a=x", "b=x").getOverallCode())
                        .isEqualTo(Code.OK);
                assertThat(second.ask("d" + reference, "a=x", "a=x")
                                .getStatuses(1)
                                .getLimitRemaining())
                        .isEqualTo(0);
                assertThat(first.ask("d" + reference, "a=x", "b=x").getOverallCode())
                        .isEqualTo(Code.OVER_LIMIT);
                assertThat(second.ask("d" + reference, "b=x").getStatuses(0).getLimitRemaining())
                        .isEqualTo(reference ? 2 : 3);
            }
        }
    }

    @Test
    void allQuotasThatAreUsedUpRefuseARequestThatThenChargesNothingInRedis() throws Exception {
        String rules = """
                rules:
                  - id: q
                    deadline: 1m
                    shadow: true
                    envoy: { domain: d, path: [{ key: q }], quota: true, metadata: { route: one } }
                    limits: [{ algorithm: fixed_window, limit: 1, window: 1d }]
                  - id: a
                    deadline: 1m
                    envoy: { domain: d, path: [{ key: a }] }
                    limits: [{ algorithm: fixed_window, limit: 9, window: 1d }]
                """;
        RedisServer redis = RedisServer.shared();
        try (RunningNode one = RunningNode.onRedis(NodeConfig.inProcess(new RulesFrom.Text("t", rules), 0)
                        .withGrpc(GrpcSettings.on(0))
                        .withRedis(redis.uri()));
                RunningNode two = RunningNode.onRedis(NodeConfig.inProcess(new RulesFrom.Text("t", rules), 0)
                        .withGrpc(GrpcSettings.on(0))
                        .withRedis(redis.uri()));
                Caller first = Caller.of(one);
                Caller second = Caller.of(two)) {
            RateLimitResponse passed = first.ask("d", "a=x", "q=x");
            assertThat(passed.getOverallCode()).isEqualTo(Code.OK);
            assertThat(passed.getDynamicMetadata().getFieldsOrThrow("metadata").toString())
                    .contains("one");
            for (int i = 0; i < 4; i++) {
                assertThat(second.ask("d", "a=x", "q=x").getOverallCode()).isEqualTo(Code.OVER_LIMIT);
            }
            // Permits come back a moment after the answer; each look charges nothing but shows what is left.
            await().atMost(60, TimeUnit.SECONDS).until(() -> json(
                            one,
                            "{\"domain\":\"d\",\"descriptors\":[{\"entries\":[{\"key\":\"a\",\"value\":\"x\"}],"
                                    + "\"hitsAddend\":\"0\"}]}")
                    .body()
                    .contains("\"limitRemaining\":8"));
            assertThat(two.get("/metrics").body())
                    .contains("rate_limit_rejected_total{limit=\"q.0\",mode=\"distributed\",rule=\"q\"} 4.0");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void usageIsChargedIntoDebtInProcessAndOnRedis(boolean onRedis) throws Exception {
        String rules = """
                rules:
                  - id: tokens
                    deadline: 1m
                    envoy: { domain: llm, path: [{ key: tenant }] }
                    limits:
                      - { by: descriptor.tenant, algorithm: fixed_window, limit: 1000, window: 30d, cost: { charge: always } }
                """;
        NodeConfig config =
                NodeConfig.inProcess(new RulesFrom.Text("t", rules), 0).withGrpc(GrpcSettings.on(0));
        try (RunningNode node = onRedis
                        ? RunningNode.onRedis(
                                config.withRedis(RedisServer.shared().uri()))
                        : RunningNode.start(config, Store::redis);
                Caller caller = Caller.of(node)) {
            if (onRedis) {
                // Usage is not charged if Redis takes longer than a second. Another tenant begins anew.
                await().atMost(Duration.ofMinutes(1))
                        .untilAsserted(() -> usesTokens(caller, "usage-" + UUID.randomUUID()));
            } else {
                usesTokens(caller, "usage");
            }
            assertThat(node.get("/metrics").body())
                    .contains("rate_limit_allowed_total{limit=\"tokens.0\",mode=\""
                            + (onRedis ? "distributed\",rule=\"tokens\"} " : "local\",rule=\"tokens\"} 3.0"))
                    .doesNotContain("sluice_settlements_total");
        }
    }

    private static void usesTokens(Caller caller, String tenant) {
        assertThat(caller.report(0, tenant)).isEqualTo("OK 1000");
        assertThat(caller.report(400, tenant)).isEqualTo("OK 600");
        assertThat(caller.report(300, tenant, tenant)).isEqualTo("OK 300 0");
        assertThat(caller.report(0, tenant)).isEqualTo("OVER_LIMIT 0");
        assertThat(caller.report(5_000, tenant)).isEqualTo("OK 0");
        assertThat(caller.report(0, tenant)).isEqualTo("OVER_LIMIT 0");
    }

    @Test
    void withoutRedisThePolicyDecidesAndNoCallFails() throws Exception {
        NodeConfig away = config(GrpcSettings.on(0)).withRedis("redis://127.0.0.1:1");
        try (RunningNode node = RunningNode.start(away, Store::redis);
                Caller caller = Caller.of(node)) {
            // One of an unknown number of nodes enforces half of three, and half of five, on its own.
            assertThat(codes(caller, 3, "a=x")).containsExactly("OK", "OVER_LIMIT", "OVER_LIMIT");
            assertThat(codes(caller, 3, "none=x")).containsExactly("OK", "OK", "OK");
        }
    }

    @Test
    void aPortInUseSaysWhatToDo() throws Exception {
        try (RunningNode first = RunningNode.start(config(GrpcSettings.on(0)), Store::redis)) {
            int taken = first.node.grpcPort().getAsInt();
            assertThatThrownBy(() -> Node.start(config(GrpcSettings.on(taken))))
                    .isInstanceOf(StartFailedException.class)
                    .hasMessage("grpc port " + taken + " on 127.0.0.1: in use"
                            + " (expected: a free port; choose another with --grpc-port, 0 takes any)");
        }
    }

    @Test
    void badCertificatesFailTheStart() throws Exception {
        Path none = folder.resolve("none.pem");
        Path bad = Files.writeString(folder.resolve("bad.pem"), "bad");
        for (Path file : List.of(none, bad)) {
            TlsSettings tls = new TlsSettings(file, file, Optional.empty());
            GrpcSettings settings = new GrpcSettings(
                    DoorSettings.onLoopback(0).withAccess(new DoorAccess(Optional.empty(), Optional.of(tls))), false);
            assertThatThrownBy(() -> Node.start(config(settings)))
                    .isInstanceOf(StartFailedException.class)
                    .hasMessageStartingWith("grpc.tls: unreadable (expected: a certificate and a key in PEM");
        }
    }

    @Test
    void aConnectionTooManyIsClosedAtOnceAndCounted() throws Exception {
        NodeConfig config = config(GrpcSettings.on(0));
        Clock clock = Clock.system();
        Limiter local = new Limiter(new LocalEngine(clock), clock, List.of());
        Evaluator evaluator = new Evaluator(RuleSet::none, local, null, config.keyForm(), clock, (ruling, nanos) -> {});
        try (local;
                DoorTokens tokens = DoorTokens.open(config, clock);
                GrpcDoor door = GrpcDoor.of(GrpcSettings.on(0), tokens, RuleSet::none, evaluator, 2)) {
            assertThat(door.port()).as("it does not listen before it serves").isEmpty();
            door.serve();
            int port = door.port().getAsInt();
            try (Caller first = Caller.of(port);
                    RawClient second = new RawClient(new Socket(InetAddress.getLoopbackAddress(), port))) {
                assertThat(first.health()).isEqualTo(ServingStatus.SERVING);
                second.send("PRI ");
                assertThat(door.refusedConnections()).isZero();
                try (RawClient third = new RawClient(new Socket(InetAddress.getLoopbackAddress(), port))) {
                    assertThat(third.isClosed()).isTrue();
                }
                assertThat(door.refusedConnections()).isEqualTo(1);
                assertThat(first.health()).isEqualTo(ServingStatus.SERVING);
            }
            await().atMost(60, TimeUnit.SECONDS).until(() -> {
                try (Caller next = Caller.of(port)) {
                    return next.health() == ServingStatus.SERVING;
                } catch (StatusRuntimeException refused) {
                    return false;
                }
            });
        }
    }

    @Test
    void metricsShowConnectionsThatWereRefused() throws Exception {
        try (RunningNode node = RunningNode.start(config(GrpcSettings.on(0)), Store::redis)) {
            assertThat(node.get("/metrics").body()).contains("sluice_connections_refused_total{door=\"grpc\"} 0.0");
        }
    }

    private static NodeConfig config(GrpcSettings settings) {
        return NodeConfig.inProcess(new RulesFrom.Text("t", RULES), 0).withGrpc(settings);
    }

    /** Uses a deadline that a busy machine can meet. */
    private static NodeConfig slow(String domain) {
        String rules = """
                rules:
                  - id: %1$s.a
                    deadline: 1m
                    envoy: { domain: %1$s, path: [{ key: a }] }
                    limits: [{ by: descriptor.a, algorithm: fixed_window, limit: 3, window: 1d }]
                  - id: %1$s.b
                    deadline: 1m
                    envoy: { domain: %1$s, path: [{ key: b }] }
                    limits: [{ by: descriptor.b, algorithm: fixed_window, limit: 5, window: 1d }]
                """.formatted(domain);
        return NodeConfig.inProcess(new RulesFrom.Text("t", rules), 0);
    }

    private static List<String> codes(Caller caller, int times, String... descriptors) {
        List<String> codes = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            codes.add(caller.ask("d", descriptors).getOverallCode().name());
        }
        return codes;
    }

    private static HttpResponse<String> json(RunningNode node, String body) {
        return node.send(node.request("/json")
                .header("Content-Type", "text/plain")
                .POST(HttpRequest.BodyPublishers.ofString(body)));
    }

    private record Caller(ManagedChannel channel) implements AutoCloseable {

        static Caller of(RunningNode node) {
            return of(node.node.grpcPort().getAsInt());
        }

        static Caller of(int port) {
            return new Caller(NettyChannelBuilder.forAddress("127.0.0.1", port, InsecureChannelCredentials.create())
                    .build());
        }

        RateLimitResponse ask(String domain, String... descriptors) {
            RateLimitRequest.Builder request = RateLimitRequest.newBuilder().setDomain(domain);
            for (String descriptor : descriptors) {
                String[] entry = descriptor.split("=", 2);
                request.addDescriptors(RateLimitDescriptor.newBuilder()
                        .addEntries(RateLimitDescriptor.Entry.newBuilder()
                                .setKey(entry[0])
                                .setValue(entry[1])));
            }
            return RateLimitServiceGrpc.newBlockingStub(channel)
                    .withDeadlineAfter(60, TimeUnit.SECONDS)
                    .shouldRateLimit(request.build());
        }

        /** Reports usage of each tenant. Returns the code and what is left to each. */
        String report(long tokens, String... tenants) {
            RateLimitRequest.Builder request = RateLimitRequest.newBuilder().setDomain("llm");
            for (String tenant : tenants) {
                request.addDescriptors(RateLimitDescriptor.newBuilder()
                        .setHitsAddend(UInt64Value.of(tokens))
                        .addEntries(RateLimitDescriptor.Entry.newBuilder()
                                .setKey("tenant")
                                .setValue(tenant)));
            }
            RateLimitResponse answer = RateLimitServiceGrpc.newBlockingStub(channel)
                    .withDeadlineAfter(60, TimeUnit.SECONDS)
                    .shouldRateLimit(request.build());
            StringBuilder shown = new StringBuilder(answer.getOverallCode().name());
            answer.getStatusesList().forEach(status -> shown.append(' ').append(status.getLimitRemaining()));
            return shown.toString();
        }

        ServingStatus health() {
            return HealthGrpc.newBlockingStub(channel)
                    .withDeadlineAfter(60, TimeUnit.SECONDS)
                    .check(HealthCheckRequest.getDefaultInstance())
                    .getStatus();
        }

        @Override
        public void close() {
            channel.shutdownNow();
        }
    }
}
