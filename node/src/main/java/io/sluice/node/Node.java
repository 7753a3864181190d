package io.sluice.node;

import io.sluice.core.time.Clock;
import io.sluice.http.answer.AnswerJson;
import io.sluice.node.access.DoorTokens;
import io.sluice.node.config.NodeConfig;
import io.sluice.node.config.StartFailedException;
import io.sluice.node.door.Door;
import io.sluice.node.door.DoorMeans;
import io.sluice.node.door.DoorProvider;
import io.sluice.node.envoy.GrpcDoor;
import io.sluice.node.record.Recorder;
import io.sluice.node.state.Health;
import io.sluice.node.state.NodeMetrics;
import io.sluice.node.telemetry.Telemetry;
import io.sluice.node.trace.DecisionSpans;
import io.sluice.node.trace.Tracing;
import io.sluice.node.transport.EventLoops;
import io.sluice.rules.evaluate.Evaluator;
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
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

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
    private final EventLoops loops;
    private final List<Door> doors = new CopyOnWriteArrayList<>();
    private final Runnable stopDelay;

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
        metrics.watch(participant, droppedLogLines);
        recorder.ifPresent(each -> metrics.watchRecording(each::recorded, each::dropped));
        telemetry.droppedSpans().ifPresent(metrics::watchSpans);
        DurableQuotas durable = engines.durable();
        if (durable != null) {
            health.watchDurable(durable::findings, durable::isRestored);
        }
        this.loops = parts.add(new EventLoops());
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
        return door(NodeApi.class).map(NodeApi::port).orElse(0);
    }

    /** Returns the port of the rate limit service for Envoy; empty if the node has none. */
    public OptionalInt grpcPort() {
        return door(GrpcDoor.class).map(GrpcDoor::port).orElse(OptionalInt.empty());
    }

    /** Returns the address of the gateway, {@code http://host:port} or {@code https://host:port}; empty if the node has none. */
    public Optional<URI> gateway() {
        return door(NodeGateway.class).flatMap(NodeGateway::address);
    }

    /** Returns a door of the node; empty if it has none of this type. */
    <T extends Door> Optional<T> door(Class<T> type) {
        return doors.stream().filter(type::isInstance).map(type::cast).findFirst();
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
        return loops.isNative();
    }

    /**
     * Stops the node. First, health turns to stopping and callers are asked to use other connections, while all requests are answered as
     * before. After the stop delay the ports are closed, and requests in flight finish and are settled.
     */
    @Override
    public void close() {
        if (closing.compareAndSet(false, true)) {
            health.turn(Health.Phase.STOPPING);
            doors.forEach(Door::leave);
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
        DoorTokens tokens = parts.add(DoorTokens.open(config, clock));
        health.watchTokens(tokens::findings);
        Evaluator evaluator = participant.evaluator(listener(tracing));
        openDoors(new DoorMeans(config, participant, evaluator, loops, tokens, tracing, metrics, health, clock));
        participant.warmUp();
        participant.start().join();
        recorder.ifPresent(each -> each.begin(participant.keys()));
        WarmUp warmUp = new WarmUp(clock);
        doors.forEach(door -> warmUp.begin(door.name(), door::warmUp));
        warmUp.await();
        for (Door door : doors) {
            door.serve();
        }
        Membership membership = participant.membership();
        health.watchFleet(membership::findings);
        participant.join(
                NodeId.host() + ":" + apiPort(), evaluator, AnswerJson::explain, health::findings, recordings(config));
    }

    /** Creates and opens the doors that the configuration asks for. A failure closes those that are open. */
    private void openDoors(DoorMeans means) throws StartFailedException {
        List<DoorProvider> providers = DoorProvider.all();
        List<String> known = providers.stream().map(DoorProvider::section).toList();
        for (String name : means.config().doors().keySet()) {
            if (!known.contains(name)) {
                throw new StartFailedException(
                        "doors." + name + ": no such door (expected: one of " + String.join(", ", known) + ")",
                        List.of());
            }
        }
        for (DoorProvider provider : providers) {
            Optional<? extends Door> created = provider.create(means);
            if (created.isPresent()) {
                Door door = parts.add(created.get());
                door.open();
                doors.add(door);
                health.watch(door::findings);
                metrics.watchRefusedConnections(door.name(), door::refusedConnections);
            }
        }
    }

    private static List<ErasableStore> recordings(NodeConfig config) {
        return config.data().stream()
                .<ErasableStore>map(data -> new Recordings(data.resolve("recordings")))
                .toList();
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

    /** Sets how long a stop waits for settlements. */
    void settlementsMayTake(Duration atMost) {
        participant.settlementsMayTake(atMost);
    }
}
