package io.sluice.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.Limiter;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.time.Clock;
import io.sluice.envoy.decide.CountingMode;
import io.sluice.envoy.decide.RateLimitDecider;
import io.sluice.envoy.server.EnvoyJson;
import io.sluice.node.api.ApiAccess;
import io.sluice.node.api.ApiHandler;
import io.sluice.node.api.ApiServer;
import io.sluice.node.api.BodyReader;
import io.sluice.node.api.DecisionRoutes;
import io.sluice.node.api.EnvoyRoute;
import io.sluice.node.api.MemoryBudget;
import io.sluice.node.api.PermitSeals;
import io.sluice.node.api.StateRoutes;
import io.sluice.node.config.NodeConfig;
import io.sluice.node.config.StartFailedException;
import io.sluice.node.state.Health;
import io.sluice.node.state.NodeMetrics;
import io.sluice.node.transport.Arrivals;
import io.sluice.node.transport.ClientConnections;
import io.sluice.rules.caller.KeySecret;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.evaluate.RulingListener;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.runtime.StoreWatch;
import io.sluice.runtime.fleet.NodeReport.Kind;
import io.sluice.runtime.participant.Membership;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** One event loop of the decision API. Its decisions have no rules, unless it is {@linkplain #deciding deciding}. */
final class BareServer implements AutoCloseable {

    private final Arrivals arrivals = Arrivals.overBestTransport();
    private final Vertx vertx = Vertx.builder().withTransport(arrivals).build();
    private final AtomicInteger port = new AtomicInteger();
    private final AtomicReference<Context> loop = new AtomicReference<>();
    private final ClientConnections connections;

    /** A server that waits for its clients, however slow the machine is. */
    BareServer(MemoryBudget memory) {
        this(memory, (ruling, nanos) -> {});
    }

    BareServer(MemoryBudget memory, RulingListener listener) {
        this(memory, listener, Duration.ofHours(1), 3_600);
    }

    /** A server that shows these rules. */
    BareServer(MemoryBudget memory, String rules) {
        this(memory, (ruling, nanos) -> {}, Duration.ofHours(1), 3_600, new NodeConfig.RulesFrom.Text("shown", rules));
    }

    /** A server that shows these rules and whose patience is a second or two. */
    static BareServer impatient(MemoryBudget memory, String rules) {
        return new BareServer(
                memory,
                (ruling, nanos) -> {},
                Duration.ofSeconds(1),
                3_600,
                new NodeConfig.RulesFrom.Text("shown", rules));
    }

    /** A server that decides by these rules and this clock. */
    static BareServer deciding(RuleSet rules, Clock clock) {
        return new BareServer(
                new MemoryBudget(Long.MAX_VALUE),
                (ruling, nanos) -> {},
                Duration.ofHours(1),
                3_600,
                new NodeConfig.RulesFrom.Nowhere(),
                rules,
                clock);
    }

    /** A server whose patience is a second or two. */
    static BareServer impatient(MemoryBudget memory) {
        return new BareServer(memory, (ruling, nanos) -> {}, Duration.ofSeconds(1), 1);
    }

    private BareServer(MemoryBudget memory, RulingListener listener, Duration bodyMayTake, int unreadSeconds) {
        this(memory, listener, bodyMayTake, unreadSeconds, new NodeConfig.RulesFrom.Nowhere());
    }

    private BareServer(
            MemoryBudget memory,
            RulingListener listener,
            Duration bodyMayTake,
            int unreadSeconds,
            NodeConfig.RulesFrom shown) {
        this(memory, listener, bodyMayTake, unreadSeconds, shown, RuleSet.none(), Clock.system());
    }

    private BareServer(
            MemoryBudget memory,
            RulingListener listener,
            Duration bodyMayTake,
            int unreadSeconds,
            NodeConfig.RulesFrom shown,
            RuleSet rules,
            Clock clock) {
        connections = new ClientConnections(arrivals, 3_600, unreadSeconds);
        try {
            vertx.deployVerticle(new ApiServer(
                            handler(listener, bodyMayTake, shown, rules, clock),
                            connections,
                            memory,
                            "127.0.0.1",
                            0,
                            Optional.empty(),
                            server -> bound(server.actualPort())))
                    .toCompletionStage()
                    .toCompletableFuture()
                    .get(60, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private void bound(int bound) {
        loop.set(Vertx.currentContext());
        port.set(bound);
    }

    private ApiHandler handler(
            RulingListener listener, Duration bodyMayTake, NodeConfig.RulesFrom shown, RuleSet rules, Clock clock)
            throws StartFailedException {
        NodeConfig config = NodeConfig.inProcess(shown, 0);
        Health health = new Health(
                NodeRules.open(
                        config,
                        Membership.of("node", Kind.NODE, Optional.empty(), Optional.empty(), Optional.empty(), clock)),
                new StoreWatch(null, clock));
        Limiter local = new Limiter(new LocalEngine(clock), clock, List.of());
        KeySettings keys = new KeySettings(KeySecret.random(), KeySettings.DEFAULT_IPV6_PREFIX, Optional.empty());
        Evaluator evaluator = new Evaluator(() -> rules, local, null, keys, clock, listener);
        return new ApiHandler(
                new DecisionRoutes(vertx, evaluator, () -> rules, new PermitSeals(), false),
                new EnvoyRoute(vertx, new EnvoyJson(new RateLimitDecider(evaluator, CountingMode.TOGETHER))),
                new StateRoutes(vertx, health, new NodeMetrics(), bodyMayTake),
                ApiAccess.OPEN,
                new BodyReader(bodyMayTake));
    }

    int port() {
        return port.get();
    }

    /** Lets a second pass for connections from which no whole request has come. */
    void tickArrivals() {
        arrivals.tick(1);
    }

    /** Lets a second pass for all connections. */
    void tick() throws Exception {
        tickArrivals();
        CountDownLatch ticked = new CountDownLatch(1);
        loop.get().runOnContext(now -> {
            connections.tick();
            ticked.countDown();
        });
        assertThat(ticked.await(60, TimeUnit.SECONDS)).isTrue();
    }

    void serves() throws Exception {
        assertThat(check(HttpClient.newBuilder()
                                .version(HttpClient.Version.HTTP_1_1)
                                .build())
                        .statusCode())
                .isEqualTo(200);
    }

    HttpResponse<String> check(HttpClient client) throws Exception {
        return client.send(checkRequest(), HttpResponse.BodyHandlers.ofString());
    }

    HttpResponse<String> post(String path, String body) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port.get() + path))
                .timeout(Duration.ofSeconds(60))
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        return HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .build()
                .send(request, HttpResponse.BodyHandlers.ofString());
    }

    HttpRequest checkRequest() {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port.get() + "/v1/check"))
                .timeout(Duration.ofSeconds(60))
                .POST(HttpRequest.BodyPublishers.ofString("{\"attributes\": {}}"))
                .build();
    }

    @Override
    public void close() {
        vertx.close();
    }
}
