package io.sluice.node;

import io.sluice.core.time.Clock;
import io.sluice.http.answer.AnswerJson;
import io.sluice.node.access.DoorTokens;
import io.sluice.node.api.ApiAccess;
import io.sluice.node.api.ApiDoor;
import io.sluice.node.api.ApiHandler;
import io.sluice.node.api.BodyReader;
import io.sluice.node.api.DecisionRoutes;
import io.sluice.node.api.EnvoyRoute;
import io.sluice.node.api.PermitSeals;
import io.sluice.node.api.StateRoutes;
import io.sluice.node.config.DoorAccess;
import io.sluice.node.config.NodeConfig;
import io.sluice.node.config.StartFailedException;
import io.sluice.node.envoy.GrpcDoor;
import io.sluice.node.gateway.OpenGateway;
import io.sluice.node.record.Recorder;
import io.sluice.node.state.Health;
import io.sluice.node.state.NodeMetrics;
import io.sluice.node.telemetry.Telemetry;
import io.sluice.node.trace.DecisionSpans;
import io.sluice.node.trace.Tracing;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.evaluate.RulingListener;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.runtime.NodeId;
import io.sluice.runtime.RefusalLog;
import io.sluice.runtime.RulingListeners;
import io.sluice.runtime.Store;
import io.sluice.runtime.durable.DurableQuotas;
import io.sluice.runtime.erasure.ErasableStore;
import io.sluice.runtime.participant.Closing;
import io.sluice.runtime.participant.Engines;
import io.sluice.runtime.participant.Membership;
import io.sluice.runtime.participant.Participant;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A running node: rules, engines, the decision API, the rate limit service for Envoy and the gateway. Thread-safe.
 *
 * <p>{@link #start} returns when the node serves. A store that does not answer within a second does not delay the start: the node
 * starts degraded, reports it, and follows the {@code on_failure} policy of each rule until the store is available.
 */
public final class Node implements AutoCloseable {

    private static final Duration REFRESH = Duration.ofSeconds(5);

    private final Clock clock = Clock.system();
    private final AtomicBoolean closing = new AtomicBoolean();
    private final Closing parts;
    private final Telemetry telemetry;
    private final NodeMetrics metrics;
    private final Optional<Recorder> recorder;
    private final Participant participant;
    private final Health health;
    private final ApiDoor api;
    private final PermitSeals seals = new PermitSeals();
    private final Optional<SharedPermitKey> permitKey;
    private final Runnable stopDelay;
    private volatile @Nullable GrpcDoor grpc;
    private volatile @Nullable NodeGateway gateway;

    private Node(
            NodeConfig config, Store.Opener opener, Closing parts, Runnable stopDelay, LongSupplier droppedLogLines)
            throws StartFailedException {
        this.parts = parts;
        this.stopDelay = stopDelay;
        this.telemetry = parts.add(Telemetry.open(config.telemetry(), clock));
        this.metrics = new NodeMetrics(telemetry.registry());
        this.recorder = NodeParts.recorder(config, clock).map(parts::add);
        this.participant = NodeParts.participant(config, opener, metrics.limits(), recorder, parts, clock);
        Engines engines = participant.engines();
        this.health = new Health(participant.rules(), engines.watch());
        this.permitKey =
                Optional.ofNullable(engines.store()).map(store -> parts.add(new SharedPermitKey(store, seals, clock)));
        metrics.watch(participant, droppedLogLines);
        recorder.ifPresent(each -> metrics.watchRecording(each::recorded, each::dropped));
        telemetry.droppedSpans().ifPresent(metrics::watchSpans);
        DurableQuotas durable = engines.durable();
        if (durable != null) {
            health.watchDurable(durable::findings, durable::isRestored);
        }
        this.api = parts.add(new ApiDoor());
    }

    /** Starts a node and returns when it serves. */
    public static Node start(NodeConfig config) throws StartFailedException {
        return start(config, () -> 0);
    }

    /**
     * Starts a node and returns when it serves.
     *
     * @param droppedLogLines returns how many log lines have been dropped so far, for the metrics
     */
    public static Node start(NodeConfig config, LongSupplier droppedLogLines) throws StartFailedException {
        return start(config, Store::redis, () -> pause(config.stopDelay()), droppedLogLines);
    }

    /** @param stopDelay blocks until a stopping node may close its ports; replaces the time in the configuration */
    static Node start(NodeConfig config, Store.Opener opener, Runnable stopDelay, LongSupplier droppedLogLines)
            throws StartFailedException {
        Closing parts = new Closing();
        try {
            Node node = new Node(config, opener, parts, stopDelay, droppedLogLines);
            node.open(config);
            node.health.turn(Health.Phase.SERVING);
            return node;
        } catch (StartFailedException | RuntimeException | Error e) {
            parts.close();
            throw e;
        }
    }

    /** Returns the port of the decision API. */
    public int apiPort() {
        return api.port();
    }

    /** Returns the port of the rate limit service for Envoy; empty if the node has none. */
    public OptionalInt grpcPort() {
        GrpcDoor door = grpc;
        return door == null ? OptionalInt.empty() : door.port();
    }

    /** Returns the address of the gateway, {@code http://host:port} or {@code https://host:port}; empty if the node has none. */
    public Optional<URI> gateway() {
        NodeGateway open = gateway;
        return open == null ? Optional.empty() : Optional.of(open.address());
    }

    /** Returns the rules in force. */
    public RuleSet rules() {
        return participant.rules().source().latest();
    }

    /** Returns whether the rules in force are from the last run, because the current ones are invalid. */
    public boolean hasKeptRules() {
        return participant.rules().isKept();
    }

    /** Returns a description of the rules that replace missing rules; empty if there are rules, or if nothing replaces them. */
    public Optional<String> standIn() {
        return participant.rules().standIn();
    }

    /** Returns why the shared store does not decide although it should; empty if it does. */
    public Optional<String> degraded() {
        return Optional.ofNullable(health.degraded());
    }

    /** Returns problems with the shared store, the rules or the gateway that do not stop decisions, as sentences. */
    public List<String> findings() {
        return health.findings();
    }

    boolean usesNativeTransport() {
        return api.usesNativeTransport();
    }

    /**
     * Stops the node. First, health turns to stopping and callers are asked to use other connections, while all requests are answered as
     * before. After the stop delay the ports are closed, and requests in flight finish and are settled.
     */
    @Override
    public void close() {
        if (closing.compareAndSet(false, true)) {
            health.turn(Health.Phase.STOPPING);
            grpc(GrpcDoor::leave);
            NodeGateway open = gateway;
            if (open != null) {
                open.leave();
            }
            api.leave();
            stopDelay.run();
            parts.close();
        }
    }

    private static void pause(Duration span) {
        Clock clock = Clock.system();
        CompletableFuture<Void> over = new CompletableFuture<>();
        clock.at(clock.nanoTime() + span.toNanos(), () -> over.complete(null));
        over.join();
    }

    private void open(NodeConfig config) throws StartFailedException {
        if (config.telemetry().otlp().isPresent()) {
            refreshMetrics();
        }
        Tracing tracing = telemetry.tracing();
        Supplier<RuleSet> inForce = participant.rules().source()::latest;
        Evaluator evaluator = participant.evaluator(listener(tracing));
        StateRoutes state = new StateRoutes(api.vertx(), health, metrics);
        DecisionRoutes decisions =
                new DecisionRoutes(api.vertx(), evaluator, inForce, seals, config.xRateLimitHeaders(), tracing);
        DoorTokens files = parts.add(DoorTokens.open(config, clock));
        health.watchTokens(files::findings);
        GrpcDoor door = parts.add(GrpcDoor.of(config, files, evaluator));
        grpc = door;
        if (door.hasPort()) {
            metrics.watchRefusedConnections("grpc", door::refusedConnections);
        }
        EnvoyRoute envoy = new EnvoyRoute(api.vertx(), door.json());
        ApiAccess access = files.of(config.api())
                .map(file -> ApiAccess.withToken(file::admits, config.openMetrics()))
                .orElse(ApiAccess.OPEN);
        Function<ApiAccess, ApiHandler> handlers =
                each -> new ApiHandler(decisions, envoy, state, each, new BodyReader());
        api.open(config.api(), () -> handlers.apply(access), clock);
        metrics.watchRefusedConnections("api", api::refusedConnections);
        OpenGateway.Resources means = new OpenGateway.Resources(
                api.vertx(), api.arrivals(), evaluator, config.xRateLimitHeaders(), gatewayListener(), tracing, clock);
        if (config.gateway().isPresent()) {
            NodeGateway open = parts.add(NodeGateway.open(config.gateway().get(), means));
            gateway = open;
            health.watch(open::findings);
            metrics.gateway().watch(open::routes, open::upstreams);
            metrics.watchRefusedConnections("gateway", open::refusedConnections);
        }
        participant.warmUp();
        permitKey.ifPresent(SharedPermitKey::awaitFirst);
        participant.start().join();
        recorder.ifPresent(each -> each.begin(participant.keys()));
        WarmUp warmUp = new WarmUp(clock);
        warmUp.begin("the service for Envoy", more -> door.warmUp(rules().rules(), more));
        if (gateway != null) {
            warmUp.begin("the gateway", more -> NodeGateway.warmUp(means, more));
        }
        if (config.api().access().equals(DoorAccess.OPEN)) {
            InetSocketAddress address = new InetSocketAddress(config.api().host(), apiPort());
            warmUp.begin("the decision API", HttpQuestions.ofRules(address, rules())::ask);
        } else {
            warmUp.begin("the decision API", more -> practise(handlers, more));
        }
        warmUp.await();
        door.serve();
        Membership membership = participant.membership();
        health.watchFleet(membership::findings);
        participant.join(
                NodeId.host() + ":" + apiPort(),
                evaluator,
                AnswerJson::explain,
                health::findings,
                config.data().map(data -> new Recordings(data.resolve("recordings"))).stream()
                        .<ErasableStore>map(each -> each)
                        .toList());
    }

    private RulingListener listener(Tracing tracing) {
        List<RulingListener> all = new ArrayList<>(participant.listeners());
        all.addAll(List.of(metrics.limits(), new RefusalLog(clock)));
        if (tracing.records()) {
            all.add(new DecisionSpans(tracing));
        }
        return new RulingListeners(all);
    }

    /** A registry that sends metrics by itself does not announce when it reads them. */
    private void refreshMetrics() {
        if (!closing.get()) {
            // The thread of the clock must not wait for a reader of the metrics.
            var unused = CompletableFuture.runAsync(metrics::refresh);
            clock.at(clock.nanoTime() + REFRESH.toNanos(), this::refreshMetrics);
        }
    }

    private OpenGateway.AnswerListener gatewayListener() {
        OpenGateway.AnswerListener counted = metrics.gateway();
        return new OpenGateway.AnswerListener() {
            @Override
            public void answered(String route, int status, long nanos) {
                counted.answered(route, status, nanos);
            }

            @Override
            public void heard(Ruling.@Nullable Settled ruling, int status, long nanos) {
                participant.tallies().answered(ruling, status, nanos);
            }
        };
    }

    /** The token keeps other processes out during the warm-up. */
    private void practise(Function<ApiAccess, ApiHandler> handlers, BooleanSupplier more) throws Exception {
        String token = UUID.randomUUID().toString();
        ApiAccess own = ApiAccess.withToken(List.of("Bearer " + token)::equals, false);
        api.practise(() -> handlers.apply(own), address -> HttpQuestions.ofRules(address, rules())
                .withToken(token)
                .ask(more));
    }

    private void grpc(Consumer<GrpcDoor> action) {
        GrpcDoor door = grpc;
        if (door != null) {
            action.accept(door);
        }
    }

    /** Sets how long a stop waits for settlements. */
    void settlementsMayTake(Duration atMost) {
        participant.settlementsMayTake(atMost);
    }
}
