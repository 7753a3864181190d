package io.sluice.node;

import io.sluice.core.DecisionListener;
import io.sluice.core.FallbackRecorder;
import io.sluice.core.Limiter;
import io.sluice.core.history.HistoryListener;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.time.Clock;
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
import io.sluice.node.transport.Patience;
import io.sluice.redis.store.StoreState;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.evaluate.RulingListener;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.runtime.OpenRules;
import io.sluice.runtime.RateLimitMetrics;
import io.sluice.runtime.RefusalLog;
import io.sluice.runtime.RulingListeners;
import io.sluice.runtime.Store;
import io.sluice.runtime.StoreCalls;
import io.sluice.runtime.StorePulse;
import io.sluice.runtime.StoreTrial;
import io.sluice.runtime.StoreWatch;
import io.sluice.runtime.StoredCounts;
import io.sluice.runtime.Tallies;
import io.sluice.runtime.center.CenterDurableLine;
import io.sluice.runtime.data.DataOutbox;
import io.sluice.runtime.data.RulingCounts;
import io.sluice.runtime.decisions.DecisionRecorder;
import io.sluice.runtime.durable.DurableQuotas;
import io.sluice.runtime.durable.StoreOutages;
import io.sluice.runtime.erasure.ErasableStore;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
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

    private static final System.Logger LOG = System.getLogger(Node.class.getName());

    /** The time for which a stopping node waits for settlements after the last request has ended. The store may be slow or unavailable. */
    private static final Duration SETTLEMENTS_MAY_TAKE = Duration.ofSeconds(5);

    private static final Duration REFRESH = Duration.ofSeconds(5);

    private final Clock clock = Clock.system();
    private final LocalEngine counts;
    private final Limiter local;
    private final @Nullable Recorder recorder;
    private final AtomicBoolean closing = new AtomicBoolean();
    private final OpenRules rules;
    private final NodeFleet fleet;
    private final @Nullable Store store;
    private final StoreWatch watch;
    private final @Nullable DurableQuotas durable;
    private final @Nullable Limiter shared;
    private final ApiDoor api;
    private final NodeMetrics metrics;
    private final Tracing tracing;
    private final Health health;
    private final @Nullable StorePulse pulse;
    private final PermitSeals seals = new PermitSeals();
    private final @Nullable SharedPermitKey permitKey;
    private final Runnable stopDelay;
    private final Tallies tallies = new Tallies();
    private final List<AutoCloseable> leaving = new CopyOnWriteArrayList<>();
    private volatile @Nullable DoorTokens tokens;
    private volatile @Nullable GrpcDoor grpc;
    private volatile @Nullable NodeGateway gateway;
    private volatile @Nullable Evaluator evaluator;
    private volatile Duration settlementsMayTake = SETTLEMENTS_MAY_TAKE;

    private Node(
            OpenRules rules,
            NodeFleet fleet,
            @Nullable Store store,
            StoreCalls calls,
            @Nullable DurableQuotas durable,
            ApiDoor api,
            NodeMetrics metrics,
            Telemetry telemetry,
            @Nullable Recorder recorder,
            Runnable stopDelay,
            LongSupplier droppedLogLines) {
        this.rules = rules;
        this.fleet = fleet;
        this.store = store;
        this.recorder = recorder;
        this.counts = recorder == null
                ? new LocalEngine(clock)
                : LocalEngine.builder()
                        .clock(clock)
                        .returnListener(recorder.returns())
                        .build();
        this.local = new Limiter(counts, clock, recorder == null ? List.of() : List.of(recorder.decisions()));
        this.watch = new StoreWatch(store, clock, calls);
        List<DecisionListener> ofStore = new ArrayList<>(List.of(watch));
        if (recorder != null) {
            ofStore.add(new FallbackRecorder(recorder.history(), clock));
            metrics.watchRecording(recorder::recorded, recorder::dropped);
        }
        this.durable = durable;
        this.shared = durable == null ? null : new Limiter(durable.engine(), clock, ofStore);
        this.api = api;
        this.metrics = metrics;
        this.tracing = telemetry.tracing();
        this.health = new Health(rules, watch);
        this.stopDelay = stopDelay;
        this.pulse = store == null ? null : new StorePulse(store, clock);
        this.permitKey = store == null ? null : new SharedPermitKey(store, seals, clock);
        metrics.watch(rules.source(), counts, watch, pulse, droppedLogLines);
        fleet.witness().ifPresent(metrics.limits()::watch);
        if (durable != null) {
            metrics.limits().watch(durable);
            health.watchDurable(durable::findings, durable::isRestored);
            leaving.add(durable);
        }
        telemetry.droppedSpans().ifPresent(metrics::watchSpans);
        leaving.add(telemetry);
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
        Telemetry telemetry = Telemetry.open(config.telemetry(), Clock.system());
        NodeMetrics metrics = new NodeMetrics(telemetry.registry());
        StoreOutages outages = new StoreOutages(metrics.limits());
        StoreCalls calls = new StoreCalls(Clock.system(), outages);
        Recorder recorder;
        try {
            recorder = config.recording()
                    .map(settings -> Recorder.open(settings, Clock.system()))
                    .orElse(null);
        } catch (IllegalArgumentException e) {
            telemetry.close();
            throw new StartFailedException(String.valueOf(e.getMessage()), List.of());
        }
        SharedStore opening = SharedStore.open(
                config, opener, recorder == null ? calls : new RecordedCalls(calls, recorder.history()));
        NodeFleet fleet = null;
        OpenRules rules;
        try {
            fleet = NodeFleet.open(config, Clock.system());
            rules = NodeRules.open(config, fleet);
        } catch (StartFailedException | IllegalArgumentException e) {
            telemetry.close();
            opening.abandon();
            abandon(recorder);
            if (fleet != null) {
                fleet.close();
            }
            throw e instanceof StartFailedException failed ? failed : SharedStore.unreadable();
        }
        ApiDoor api = null;
        Node node;
        try {
            api = new ApiDoor();
            Store store = opening.opened();
            DurableQuotas durable = store == null ? null : durable(config, store, rules, fleet, outages);
            node = new Node(
                    rules, fleet, store, calls, durable, api, metrics, telemetry, recorder, stopDelay, droppedLogLines);
        } catch (StartFailedException | RuntimeException | Error e) {
            telemetry.close();
            opening.abandon();
            abandon(recorder);
            rules.close();
            fleet.close();
            if (api != null) {
                api.close();
            }
            throw e;
        }
        try {
            node.open(config);
        } catch (StartFailedException | RuntimeException | Error e) {
            node.release();
            throw e;
        }
        node.health.turn(Health.Phase.SERVING);
        return node;
    }

    private static DurableQuotas durable(
            NodeConfig config, Store store, OpenRules rules, NodeFleet fleet, StoreOutages outages) {
        DurableQuotas durable = DurableQuotas.of(
                store,
                rules.source()::latest,
                config.data(),
                fleet.center().map(CenterDurableLine::new),
                Clock.system());
        outages.tell(durable);
        return durable;
    }

    private static void abandon(@Nullable Recorder recorder) {
        if (recorder != null) {
            recorder.close();
        }
    }

    /** The listener of the store, and the listener that records its steps. */
    private record RecordedCalls(StoreCalls calls, HistoryListener history) implements Store.RecordingListener {

        @Override
        public void called(String outcome, int decisions, long nanos) {
            calls.called(outcome, decisions, nanos);
        }

        @Override
        public void changed(StoreState state) {
            calls.changed(state);
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
        return rules.source().latest();
    }

    /** Returns whether the rules in force are from the last run, because the current ones are invalid. */
    public boolean hasKeptRules() {
        return rules.isKept();
    }

    /** Returns a description of the rules that replace missing rules; empty if there are rules, or if nothing replaces them. */
    public Optional<String> standIn() {
        return rules.standIn();
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
            release();
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
        RateLimitMetrics limits = metrics.limits();
        RefusalLog refusals = new RefusalLog(clock);
        tallies.watch(rules.source());
        List<RulingListener> listeners = new ArrayList<>(List.of(tallies, limits, refusals));
        fleet.outbox().ifPresent(outbox -> listeners.add(counted(outbox)));
        if (tracing.records()) {
            listeners.add(new DecisionSpans(tracing));
        }
        Supplier<RuleSet> inForce = rules.source()::latest;
        NodeCallers callers = NodeCallers.of(config, fleet, inForce, clock);
        leaving.add(callers);
        listeners.addAll(callers.listeners());
        KeySettings keys = callers.keys();
        Optional<DecisionRecorder> logged = logged(config, inForce, keys);
        logged.ifPresent(listeners::add);
        if (recorder != null) {
            listeners.add(recorder.requests(inForce));
        }
        RulingListener listener = new RulingListeners(listeners);
        Evaluator evaluator = new Evaluator(inForce, local, shared, keys, clock, listener, fleet::liveNodes);
        this.evaluator = evaluator;
        callers.answer(evaluator);
        StateRoutes state = new StateRoutes(api.vertx(), health, metrics);
        DecisionRoutes decisions =
                new DecisionRoutes(api.vertx(), evaluator, inForce, seals, config.xRateLimitHeaders(), tracing);
        DoorTokens files = DoorTokens.open(config, clock);
        tokens = files;
        health.watchTokens(files::findings);
        GrpcDoor door = GrpcDoor.of(config, files, evaluator);
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
            NodeGateway open = NodeGateway.open(config.gateway().get(), means);
            gateway = open;
            health.watch(open::findings);
            metrics.gateway().watch(open::routes, open::upstreams);
            metrics.watchRefusedConnections("gateway", open::refusedConnections);
        }
        if (store != null && shared != null) {
            StoreTrial.run(store, shared);
        }
        if (pulse != null) {
            pulse.start();
        }
        CompletableFuture<Boolean> agreed = callers.agree(store).completeOnTimeout(false, 1, TimeUnit.SECONDS);
        if (permitKey != null) {
            permitKey.start().completeOnTimeout(false, 1, TimeUnit.SECONDS).join();
        }
        if (durable != null) {
            rules.source().listen(durable.rules());
            durable.start().join();
        }
        agreed.join();
        if (recorder != null) {
            recorder.begin(keys);
        }
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
        List<ErasableStore> erasable = StoredCounts.of(local, shared, store);
        config.data().map(data -> new Recordings(data.resolve("recordings"))).ifPresent(erasable::add);
        erasable.addAll(callers.erasable());
        if (durable != null) {
            erasable.add(durable.erasable());
        }
        logged.flatMap(DecisionRecorder::erasable).ifPresent(erasable::add);
        if (recorder != null) {
            erasable.add(recorder);
            fleet.excerpt(recorder::excerpt);
        }
        fleet.erase(inForce, keys, erasable);
        health.watchFleet(fleet::findings);
        fleet.report(apiPort(), rules, watch, health::findings, tallies);
    }

    private RulingCounts counted(DataOutbox outbox) {
        RulingCounts all = new RulingCounts(outbox, clock);
        fleet.add(all);
        leaving.add(all);
        all.start();
        return all;
    }

    private Optional<DecisionRecorder> logged(NodeConfig config, Supplier<RuleSet> inForce, KeySettings keys)
            throws StartFailedException {
        try {
            Optional<DecisionRecorder> opened =
                    DecisionRecorder.open(config.decisions().log(), fleet.outbox(), inForce, keys, clock);
            opened.ifPresent(each -> {
                fleet.add(each);
                leaving.add(each);
                metrics.limits().watch(each);
            });
            return opened;
        } catch (IllegalArgumentException e) {
            throw new StartFailedException(String.valueOf(e.getMessage()), List.of());
        }
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
                tallies.answered(ruling, status, nanos);
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

    private static void closeQuietly(AutoCloseable part) {
        try {
            part.close();
        } catch (Exception e) {
            LOG.log(Level.WARNING, "a part of the node did not stop cleanly", e);
        }
    }

    /** Sets how long a stop waits for settlements. */
    void settlementsMayTake(Duration atMost) {
        settlementsMayTake = atMost;
    }

    /** The last requests settle when they end. If the node did not wait, their reservations would stand. */
    private void awaitSettlements() {
        Evaluator opened = evaluator;
        if (opened != null) {
            try {
                Patience.await(opened.settlementsUnderWay(), settlementsMayTake);
            } catch (ExecutionException | TimeoutException e) {
                LOG.log(
                        Level.WARNING,
                        "the shared store did not settle the last reservations in time; what they reserved may stand");
            }
        }
    }

    private void release() {
        closing.set(true);
        NodeGateway open = gateway;
        if (open != null) {
            open.close();
        }
        grpc(GrpcDoor::close);
        api.close();
        awaitSettlements();
        DoorTokens files = tokens;
        if (files != null) {
            files.close();
        }
        if (pulse != null) {
            pulse.close();
        }
        if (permitKey != null) {
            permitKey.close();
        }
        fleet.close();
        leaving.forEach(Node::closeQuietly);
        rules.close();
        local.close();
        if (shared != null) {
            shared.close();
        }
        // Last, because closing the limiters still changes counts.
        abandon(recorder);
    }
}
