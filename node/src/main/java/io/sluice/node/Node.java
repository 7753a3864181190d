package io.sluice.node;

import io.sluice.core.Decision;
import io.sluice.core.Limit;
import io.sluice.core.Limiter;
import io.sluice.core.LocalEngine;
import io.sluice.core.Rate;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Demand;
import io.sluice.core.time.Clock;
import io.sluice.rules.Evaluator;
import io.sluice.rules.RuleSet;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running node: rules, engines, the decision API and the rate limit service for Envoy. Safe for use by many threads.
 *
 * <p>{@link #start} returns when the node serves. A store that does not answer within a second does not hold it up: the node
 * then starts openly degraded, says so, and the rules' failure policies decide until the store is there.
 */
public final class Node implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Node.class);
    private static final Duration STORE_MAY_TAKE = Duration.ofSeconds(1);
    private static final int PROBES = 200;
    private static final Duration WARM_UP = Duration.ofMillis(600);
    private static final Duration STOP_MAY_TAKE = Duration.ofSeconds(15);

    /** For so long a stopping node still serves, while its health already says that it stops. */
    private static final Duration GRACE = Duration.ofMillis(500);

    private final Clock clock = Clock.system();
    private final LocalEngine counts = new LocalEngine(clock);
    private final Limiter local = new Limiter(counts, clock, List.of());
    private final AtomicInteger apiPort = new AtomicInteger();
    private final AtomicBoolean closing = new AtomicBoolean();
    private final NodeRules rules;
    private final @Nullable Store store;
    private final @Nullable Limiter shared;
    private final Vertx vertx;
    private final NodeMetrics metrics;
    private final Health health;
    private final Duration grace;
    private volatile @Nullable GrpcDoor grpc;

    private Node(NodeRules rules, @Nullable Store store, Vertx vertx, NodeMetrics metrics, Duration grace) {
        this.rules = rules;
        this.store = store;
        StoreWatch watch = new StoreWatch(store, clock);
        this.shared = store == null ? null : new Limiter(store.engine(), clock, List.of(watch));
        this.vertx = vertx;
        this.metrics = metrics;
        this.health = new Health(rules, watch);
        this.grace = grace;
        metrics.watch(rules.source(), counts, watch);
    }

    /** Starts a node and returns when it serves. */
    public static Node start(NodeConfig config) throws StartFailedException {
        return start(config, Store::redis, GRACE);
    }

    static Node start(NodeConfig config, Store.Opener opener, Duration grace) throws StartFailedException {
        // Beside the rest, because the client of the store takes as long to load as everything else together.
        NodeMetrics metrics = new NodeMetrics();
        CompletableFuture<Optional<Store>> opening = CompletableFuture.supplyAsync(
                () -> config.redisUri().map(uri -> opener.open(uri, config.redisPrefix(), Clock.system(), metrics)));
        NodeRules rules;
        try {
            rules = NodeRules.open(config);
        } catch (StartFailedException e) {
            closeOnceOpen(opening);
            throw e;
        } catch (IllegalArgumentException e) {
            closeOnceOpen(opening);
            throw unreadable();
        }
        Vertx vertx = vertx();
        Optional<Store> store;
        try {
            store = opening.join();
        } catch (CompletionException e) {
            rules.close();
            vertx.close();
            if (e.getCause() instanceof IllegalArgumentException) {
                throw unreadable();
            }
            throw e;
        }
        Node node = new Node(rules, store.orElse(null), vertx, metrics, grace);
        try {
            node.listen(config);
            node.awaitStore();
            GrpcDoor door = node.grpc;
            CompletableFuture<Void> warm = door == null
                    ? CompletableFuture.completedFuture(null)
                    : door.warmUp(config.host(), node.clock, WARM_UP);
            new WarmUp(new InetSocketAddress(config.host(), node.apiPort()), node.rules(), node.clock).run(WARM_UP);
            warm.join();
        } catch (StartFailedException | RuntimeException e) {
            node.release();
            throw e;
        }
        node.health.turn(Health.Phase.SERVING);
        node.grpc(GrpcDoor::serve);
        return node;
    }

    /** The port of the decision API. */
    public int apiPort() {
        return apiPort.get();
    }

    /** The port of the rate limit service for Envoy; empty if the node has none. */
    public OptionalInt grpcPort() {
        GrpcDoor door = grpc;
        return door == null ? OptionalInt.empty() : door.port();
    }

    /** The rules in force. */
    public RuleSet rules() {
        return rules.source().latest();
    }

    /** Whether the rules in force are those of the last run, because those of now are bad. */
    public boolean hasKeptRules() {
        return rules.isKept();
    }

    /** Why the shared store does not decide, though it should; empty if all is well. */
    public Optional<String> degraded() {
        return Optional.ofNullable(health.degraded());
    }

    /** What is wrong with the shared store, though it decides, in sentences. */
    public List<String> findings() {
        return health.findings();
    }

    boolean usesNativeTransport() {
        return vertx.isNativeTransportEnabled();
    }

    /** Stops: health says so first, then nothing new is accepted and what is in flight finishes. */
    @Override
    public void close() {
        if (closing.compareAndSet(false, true)) {
            health.turn(Health.Phase.STOPPING);
            grpc(GrpcDoor::leave);
            CompletableFuture<Void> graceOver = new CompletableFuture<>();
            clock.at(clock.nanoTime() + grace.toNanos(), () -> graceOver.complete(null));
            graceOver.join();
            release();
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // nobody waits for it
    private static void closeOnceOpen(CompletableFuture<Optional<Store>> opening) {
        opening.thenAccept(opened -> opened.ifPresent(store -> store.engine().close()));
    }

    private static Vertx vertx() {
        return Vertx.vertx(new VertxOptions()
                .setPreferNativeTransport(true)
                .setFileSystemOptions(
                        new FileSystemOptions().setFileCachingEnabled(false).setClassPathResolvingEnabled(false)));
    }

    /** Without the URI and without the text of the exception: both may show a password. */
    private static StartFailedException unreadable() {
        return new StartFailedException(
                "redis: unreadable (expected: redis://HOST:PORT, rediss://HOST:PORT, redis-sentinel://…,"
                        + " redis-cluster://HOST:PORT,HOST:PORT or rediss-cluster://…)",
                List.of());
    }

    private void listen(NodeConfig config) throws StartFailedException {
        Evaluator evaluator = new Evaluator(rules.source()::latest, local, shared, config.keyForm(), clock, metrics);
        GrpcDoor door = GrpcDoor.open(config, evaluator);
        grpc = door;
        ApiHandler handler = new ApiHandler(vertx, evaluator, door.json(), health, metrics);
        int loops = Math.max(2, Runtime.getRuntime().availableProcessors());
        try {
            await(
                    vertx.deployVerticle(
                                    () -> new ApiServer(handler, config.host(), config.apiPort(), apiPort::set),
                                    new DeploymentOptions().setInstances(loops))
                            .toCompletionStage()
                            .toCompletableFuture(),
                    STOP_MAY_TAKE);
        } catch (ExecutionException e) {
            throw new StartFailedException(
                    "api port " + config.apiPort() + " on " + config.host() + ": " + why(e.getCause()), List.of());
        } catch (TimeoutException e) {
            throw new StartFailedException("api port: no answer from the system (expected: try again)", List.of());
        }
    }

    /** The native transport has an exception of its own, so the system's words have to do. */
    private static String why(@Nullable Throwable failure) {
        String words = String.valueOf(failure == null ? null : failure.getMessage());
        if (words.contains("already in use")) {
            return "in use (expected: a free port; choose another with --api-port, 0 takes any)";
        }
        if (words.contains("ermission denied")) {
            return "not permitted (expected: a port above 1023; choose another with --api-port)";
        }
        return "cannot listen (expected: an address of this machine and a free port)";
    }

    /** Waits for the store and lets it decide, because the first decisions take longer than one may. */
    private void awaitStore() {
        if (store == null || shared == null) {
            return;
        }
        try {
            await(store.ready().toCompletableFuture(), STORE_MAY_TAKE);
        } catch (ExecutionException | TimeoutException e) {
            LOG.warn("the shared store is away: starting degraded, on_failure decides until it is back");
            return;
        }
        // On counts of their own; half of them are refused.
        List<Demand> probes = List.of(
                Demand.of(Limit.named("sluice.probe").slidingLog(PROBES / 2, Duration.ofSeconds(1)), "", 1),
                Demand.of(Limit.named("sluice.probe").tokenBucket(Rate.perSecond(PROBES)), "", 1));
        for (int i = 0; i < PROBES; i++) {
            Decision decision = shared.decide(Ask.charging(probes).dueAt(shared.dueIn(STORE_MAY_TAKE)));
            if (decision.degraded() != null) {
                LOG.warn("the shared store does not decide: {}; on_failure decides until it does", decision.degraded());
                return;
            }
        }
    }

    private void grpc(Consumer<GrpcDoor> action) {
        GrpcDoor door = grpc;
        if (door != null) {
            action.accept(door);
        }
    }

    private void release() {
        grpc(GrpcDoor::close);
        try {
            await(vertx.close().toCompletionStage().toCompletableFuture(), STOP_MAY_TAKE);
        } catch (ExecutionException | TimeoutException e) {
            LOG.warn("the servers did not stop cleanly", e);
        }
        rules.close();
        local.close();
        if (shared != null) {
            shared.close();
        }
    }

    private static <T> void await(Future<T> future, Duration atMost) throws ExecutionException, TimeoutException {
        try {
            future.get(atMost.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CompletionException(e);
        }
    }
}
