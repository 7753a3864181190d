package io.sluice.node;

import io.sluice.core.Limiter;
import io.sluice.core.LocalEngine;
import io.sluice.core.time.Clock;
import io.sluice.node.NodeConfig.RulesFrom;
import io.sluice.rules.Evaluator;
import io.sluice.rules.FileRuleSource;
import io.sluice.rules.KeptRuleSource;
import io.sluice.rules.RuleDocument;
import io.sluice.rules.RuleSet;
import io.sluice.rules.RulesRefusedException;
import io.sluice.rules.RulingListener;
import io.sluice.rules.spi.RuleSource;
import io.sluice.rules.spi.RuleVet;
import io.sluice.rules.yaml.DocumentError;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running node: rules, engines and the decision API. Safe for use by many threads.
 *
 * <p>{@link #start} returns when the node serves. A store that does not answer within a second does not hold it up: the node
 * then starts openly degraded, says so, and the rules' failure policies decide until the store is there.
 */
public final class Node implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Node.class);
    private static final Duration WARM_UP = Duration.ofMillis(600);

    /** For so long a stopping node still serves, while its health already says that it stops. */
    private static final Duration GRACE = Duration.ofMillis(500);

    private final Clock clock = Clock.system();
    private final LocalEngine counts = new LocalEngine(clock);
    private final Limiter local = new Limiter(counts, clock, List.of());
    private final AtomicBoolean closing = new AtomicBoolean();
    private final RuleSource rules;
    private final @Nullable Store store;
    private final @Nullable Limiter shared;
    private final ApiDoor api;
    private final NodeMetrics metrics;
    private final Health health;
    private final @Nullable StorePulse pulse;
    private final Duration grace;

    private Node(
            RuleSource rules,
            @Nullable Store store,
            ApiDoor api,
            NodeMetrics metrics,
            Duration grace,
            LongSupplier droppedLogLines) {
        this.rules = rules;
        this.store = store;
        StoreWatch watch = new StoreWatch(store, clock);
        this.shared = store == null ? null : new Limiter(store.engine(), clock, List.of(watch));
        this.api = api;
        this.metrics = metrics;
        this.health = new Health(rules::latest, this::hasKeptRules, watch);
        this.grace = grace;
        this.pulse = store == null ? null : new StorePulse(store, clock);
        metrics.watch(rules, counts, watch, pulse, droppedLogLines);
    }

    /** Starts a node and returns when it serves. */
    public static Node start(NodeConfig config) throws StartFailedException {
        return start(config, () -> 0);
    }

    /**
     * Starts a node and returns when it serves.
     *
     * @param droppedLogLines how many lines of the log were dropped so far, for the metrics
     */
    public static Node start(NodeConfig config, LongSupplier droppedLogLines) throws StartFailedException {
        return start(config, Store::redis, GRACE, droppedLogLines);
    }

    static Node start(NodeConfig config, Store.Opener opener, Duration grace, LongSupplier droppedLogLines)
            throws StartFailedException {
        NodeMetrics metrics = new NodeMetrics();
        SharedStore opening = SharedStore.open(config, opener, metrics);
        RuleSource rules;
        try {
            rules = rules(config);
        } catch (StartFailedException e) {
            opening.abandon();
            throw e;
        }
        List<DocumentError> faults = vet(config).faults(rules.latest());
        if (!faults.isEmpty()) {
            rules.close();
            opening.abandon();
            throw new StartFailedException(faults.get(0).message(), List.of());
        }
        ApiDoor api = new ApiDoor();
        Node node;
        try {
            node = new Node(rules, opening.opened(), api, metrics, grace, droppedLogLines);
        } catch (StartFailedException | RuntimeException e) {
            rules.close();
            api.close();
            throw e;
        }
        try {
            node.open(config);
        } catch (StartFailedException | RuntimeException e) {
            node.release();
            throw e;
        }
        node.health.turn(Health.Phase.SERVING);
        return node;
    }

    /** The port of the decision API. */
    public int apiPort() {
        return api.port();
    }

    /** The rules in force. */
    public RuleSet rules() {
        return rules.latest();
    }

    /** Whether the rules in force are those of the last run, because those of now are bad. */
    public boolean hasKeptRules() {
        return rules instanceof KeptRuleSource kept && kept.isRestored();
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
        return api.usesNativeTransport();
    }

    /** Stops: health says so first, then nothing new is accepted and what is in flight finishes. */
    @Override
    public void close() {
        if (closing.compareAndSet(false, true)) {
            health.turn(Health.Phase.STOPPING);
            CompletableFuture<Void> graceOver = new CompletableFuture<>();
            clock.at(clock.nanoTime() + grace.toNanos(), () -> graceOver.complete(null));
            graceOver.join();
            release();
        }
    }

    private static RuleSource rules(NodeConfig config) throws StartFailedException {
        RulesFrom from = config.rules();
        try {
            if (from instanceof RulesFrom.File file) {
                return config.data().isPresent()
                        ? keptRules(file.path(), config.data().get(), vet(config))
                        : FileRuleSource.open(file.path(), Clock.system(), vet(config));
            }
            if (from instanceof RulesFrom.Text text) {
                RuleDocument document = RuleDocument.parse(text.name(), text.text());
                if (document instanceof RuleDocument.Refused refused) {
                    throw new RulesRefusedException(refused.errors());
                }
                return RuleSource.fixed(new RuleSet(1, ((RuleDocument.Accepted) document).rules()));
            }
            LOG.warn("no rules: every request is allowed; give a rule file with --rules FILE");
            return RuleSource.fixed(RuleSet.none());
        } catch (RulesRefusedException e) {
            int count = e.errors().size();
            throw new StartFailedException(
                    "rules: " + count + (count == 1 ? " error" : " errors") + " (expected: none; correct "
                            + (count == 1 ? "it" : "them") + " and start again)",
                    e.errors().stream().map(Object::toString).toList());
        }
    }

    /** Rules of a file or, if those are bad, of the last run. */
    private static RuleSource keptRules(Path path, Path folder, RuleVet vet) throws RulesRefusedException {
        FileRuleSource file = FileRuleSource.watch(path, Clock.system(), KeptRuleSource.last(folder), vet);
        RuleSource rules = KeptRuleSource.over(file, folder, Clock.system());
        if (!rules.hasRules()) {
            rules.close();
            throw new RulesRefusedException(rules.refused());
        }
        return rules;
    }

    private static RuleVet vet(NodeConfig config) {
        return config.redisUri().isPresent() && config.hashKey().isEmpty() ? new HashKeyNeeded() : RuleVet.NONE;
    }

    private void open(NodeConfig config) throws StartFailedException {
        RefusalLog refusals = new RefusalLog(clock);
        RulingListener listener = (ruling, nanos) -> {
            metrics.ruled(ruling, nanos);
            refusals.ruled(ruling, nanos);
        };
        Evaluator evaluator = new Evaluator(rules::latest, local, shared, config.keyForm(), clock, listener);
        StateRoutes state = new StateRoutes(api.vertx(), health, metrics);
        DecisionRoutes decisions =
                new DecisionRoutes(api.vertx(), evaluator, rules::latest, config.xRateLimitHeaders());
        api.open(config, () -> new ApiHandler(decisions, state, new BodyReader(api.vertx())));
        if (store != null && shared != null) {
            SharedStore.await(store, shared);
        }
        if (pulse != null) {
            pulse.start();
        }
        new WarmUp(new InetSocketAddress(config.host(), apiPort()), rules(), clock).run(WARM_UP);
    }

    private void release() {
        api.close();
        if (pulse != null) {
            pulse.close();
        }
        rules.close();
        local.close();
        if (shared != null) {
            shared.close();
        }
    }
}
