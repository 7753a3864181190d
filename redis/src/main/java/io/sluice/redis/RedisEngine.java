package io.sluice.redis;

import io.lettuce.core.RedisURI;
import io.sluice.core.history.HistoryListener;
import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.EngineFailure;
import io.sluice.core.spi.PendingOutcome;
import io.sluice.core.time.Clock;
import io.sluice.redis.internal.cluster.Cluster;
import io.sluice.redis.internal.cluster.ClusterAddress;
import io.sluice.redis.internal.lease.LeaseListener;
import io.sluice.redis.internal.lease.LeaseStore;
import io.sluice.redis.internal.lease.Leases;
import io.sluice.redis.internal.link.Coalescer;
import io.sluice.redis.internal.link.Connector;
import io.sluice.redis.internal.link.RedisAddress;
import io.sluice.redis.internal.link.RedisLink;
import io.sluice.redis.internal.link.RedisOptions;
import io.sluice.redis.internal.link.Route;
import io.sluice.redis.internal.link.Servers;
import io.sluice.redis.internal.link.SlotDivider;
import io.sluice.redis.internal.link.StandaloneServer;
import io.sluice.redis.internal.recording.LeaseRecorder;
import io.sluice.redis.internal.recording.RecordingEngine;
import io.sluice.redis.internal.wire.Batch;
import io.sluice.redis.internal.wire.EndedLease;
import io.sluice.redis.internal.wire.FailureNames;
import io.sluice.redis.internal.wire.LeaseReply;
import io.sluice.redis.internal.wire.LeaseRequest;
import io.sluice.redis.internal.wire.NamedEngine;
import io.sluice.redis.internal.wire.Operation;
import io.sluice.redis.internal.wire.RedisKeys;
import io.sluice.redis.store.StoreState;
import io.sluice.redis.store.StoreVitals;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The engine whose counts live in Redis and are shared by every process that uses it. Exact, by the time of the Redis server.
 * Safe for use by many threads.
 *
 * <p>Redis decides by a function, {@code decide.lua}, in one step: an ask, whatever the number of its limits, and all that
 * waits for the connection together with it. A call is sent once: one that was under way when a connection broke is not sent
 * again, because Redis may have charged it. A function that Redis does not know (it was restarted, or flushed) has charged
 * nothing, so that one is loaded and called again.
 *
 * <p>While Redis is gone, hangs, is slow or fails, asks are undecided at once, and Redis is probed until it answers quickly again
 * ({@link #state} says which). At most {@value Coalescer#MOST_UNDER_WAY} calls are under way and a bounded number of asks
 * waits for them. This engine watches no deadline; put a {@link io.sluice.core.decorator.FallbackEngine} in front.
 */
final class RedisEngine implements NamedEngine {

    private final Connector connector;
    private final Servers servers;
    private final RedisKeys names;
    private final Clock clock;
    private final SlotDivider divider;
    private final RedisOptions options;

    /** How far the server's clock was ahead of ours in its last reply; only calendars ask for it. */
    private volatile long aheadMicros;

    private RedisEngine(String uri, String prefix, Clock clock, RedisOptions options, Supplier<String> time) {
        this.names = new RedisKeys(prefix, options.hashTags());
        this.clock = clock;
        this.options = options;
        this.divider = new SlotDivider(this::serverMicros, this::giveBack);
        Function<Route, Coalescer> calls = route -> new Coalescer(
                route, clock, time, options, micros -> aheadMicros = micros - clock.epochMicros(), divider);
        if (ClusterAddress.matches(uri)) {
            ClusterAddress address = ClusterAddress.of(uri);
            this.connector = new Connector(clock);
            this.servers = new Cluster(address, connector, clock, options, calls);
        } else {
            RedisURI address = RedisAddress.of(uri);
            this.connector = new Connector(clock);
            this.servers = new StandaloneServer(address, connector, clock, options, calls);
        }
    }

    /** Connects as {@link #connect(String, String, Clock, RedisOptions)} does, with {@link RedisOptions#defaults}. */
    public static RedisEngine connect(String uri, String prefix, Clock clock) {
        return connect(uri, prefix, clock, RedisOptions.defaults());
    }

    /**
     * Connects in the background and returns at once; until Redis is there, asks are undecided.
     *
     * @param uri {@code redis://}, {@code rediss://} or {@code redis-sentinel://}, as Lettuce reads them; or {@code
     *     redis-cluster://} ({@code rediss-cluster://} with TLS), with seeds that have commas between them
     * @param prefix what the names of all counts start with
     * @throws IllegalArgumentException if the URI cannot be read, or the prefix would keep a whole Cluster in one slot
     */
    public static RedisEngine connect(String uri, String prefix, Clock clock, RedisOptions options) {
        if (ClusterAddress.matches(uri) && prefix.indexOf('{') >= 0) {
            throw new IllegalArgumentException(
                    "prefix: \"" + prefix + "\" (expected: no braces, which would put all counts into one slot)");
        }
        return new RedisEngine(uri, prefix, clock, options, () -> "");
    }

    /** An engine that decides by a time of its own, in microseconds; only tests have a use for it. */
    static RedisEngine onTime(String uri, String prefix, Clock clock, RedisOptions options, Supplier<String> time) {
        return new RedisEngine(uri, prefix, clock, options, time);
    }

    /** Whether Redis is being asked, and if not, why and since when. */
    public StoreState state() {
        return servers.state();
    }

    /** What is wrong with the server, though it decides, in sentences; empty if nothing is. */
    public List<String> findings() {
        return servers.findings();
    }

    /**
     * Asks the servers how they are doing, beside the decisions. Completes exceptionally if one of them is away, does not answer
     * as long as a connection may be silent, or does not allow the question.
     */
    public CompletionStage<StoreVitals> vitals() {
        CompletableFuture<StoreVitals> all = CompletableFuture.completedFuture(new StoreVitals(0, 0));
        for (RedisLink link : servers.links()) {
            all = all.thenCombine(link.vitals(), StoreVitals::and);
        }
        return servers.isReady()
                ? all
                : CompletableFuture.failedFuture(new IllegalStateException(FailureNames.DISCONNECTED));
    }

    /** Whether Redis is connected, knows the function and answers quickly. */
    public boolean isReady() {
        return servers.isReady();
    }

    /** Completes when {@link #isReady} first turns true. */
    public CompletionStage<Void> ready() {
        return servers.ready();
    }

    @Override
    public String name() {
        return "redis";
    }

    @Override
    public Answer decide(Ask ask) {
        return decide(ask, names.of(ask.demands()));
    }

    @Override
    public Answer decide(Ask ask, String[] counts) {
        if (ask.demands().isEmpty()) {
            EngineFailure gone = servers.unavailable(0);
            return gone != null ? gone : new EngineDecision(true, List.of(), clock.epochMicros(), null);
        }
        if (ask.deadlineNanos() != Ask.NO_DEADLINE && clock.nanoTime() - ask.deadlineNanos() >= 0) {
            return new EngineFailure(FailureNames.TIMEOUT, false);
        }
        if (ask.demands().size() > Batch.LARGEST_QUESTION) {
            return new EngineFailure(FailureNames.ERROR, false);
        }
        // Nothing is charged anywhere if something is sure not to be decided.
        for (String count : counts) {
            EngineFailure gone = servers.unavailable(servers.placeOf(count));
            if (gone != null) {
                return gone;
            }
        }
        Operation.AskOperation question = new Operation.AskOperation(ask, counts, serverMicros());
        put(question);
        return new PendingOutcome(question.outcome, connector.afterArrivals());
    }

    @Override
    public CompletionStage<Void> giveBack(List<Charge> charges) {
        if (charges.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        if (charges.size() > Batch.LARGEST_QUESTION) {
            return CompletableFuture.failedFuture(new IllegalArgumentException(
                    "charges: " + charges.size() + " (expected: at most " + Batch.LARGEST_QUESTION + ")"));
        }
        return ask(Operation.ChargeUpdate.givenBack(charges, names, serverMicros()))
                .thenAccept(done -> {});
    }

    @Override
    public CompletionStage<Boolean> renew(Charge charge) {
        return ask(Operation.ChargeUpdate.renewed(charge, names, serverMicros()));
    }

    @Override
    public void close() {
        servers.close();
        connector.close();
    }

    /**
     * Leases on the counts of this engine.
     *
     * @param engine what decides without a lease, on the same counts: this one, or decorators of it; closed with the leases
     */
    public Leases leasesInFrontOf(Engine engine) {
        HistoryListener history = options.recording();
        return Leases.over(
                engine,
                leases(),
                clock,
                history == null ? LeaseListener.NONE : new LeaseRecorder(history, names, clock));
    }

    /** The engine itself, or decorators of it, with all answers told to whoever hears of its steps; the same if nobody does. */
    public Engine recorded(Engine engine) {
        HistoryListener history = options.recording();
        return history == null ? engine : new RecordingEngine(engine, history, names, clock);
    }

    /** Where leases on the counts of this engine come from. */
    LeaseStore leases() {
        return new LeaseStore() {
            @Override
            public CompletionStage<LeaseReply> request(LeaseRequest request) {
                Operation.LeaseUpdate question = Operation.LeaseUpdate.granting(request, names, serverMicros());
                return asked(question);
            }

            @Override
            public CompletionStage<Void> end(Limit limit, String key, List<EndedLease> ended) {
                if (ended.isEmpty()) {
                    return CompletableFuture.completedFuture(null);
                }
                return asked(Operation.LeaseUpdate.ending(limit, key, ended, names, serverMicros()))
                        .thenAccept(answer -> {
                            if (answer instanceof LeaseReply.Unknown unknown) {
                                throw new IllegalStateException(unknown.reason());
                            }
                        });
            }

            @Override
            public Executor afterArrivals() {
                return connector.afterArrivals();
            }
        };
    }

    private CompletionStage<LeaseReply> asked(Operation.LeaseUpdate question) {
        EngineFailure gone = servers.unavailable(servers.placeOf(question.counts[0]));
        if (gone != null) {
            return CompletableFuture.completedFuture(new LeaseReply.Unknown(gone.reason(), false));
        }
        put(question);
        return question.answer;
    }

    private CompletionStage<Boolean> ask(Operation.ChargeUpdate question) {
        put(question);
        return question.done;
    }

    private void put(Operation question) {
        for (Operation part : divider.divided(question, servers::placeOf)) {
            servers.calls(servers.placeOf(part.counts[0])).ask(part);
        }
    }

    private long serverMicros() {
        return clock.epochMicros() + aheadMicros;
    }
}
