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
import io.sluice.core.spi.KeyMatch;
import io.sluice.core.spi.Outcome;
import io.sluice.core.spi.PendingOutcome;
import io.sluice.core.spi.Settlement;
import io.sluice.core.spi.SettlementResult;
import io.sluice.core.time.Clock;
import io.sluice.redis.internal.cluster.Cluster;
import io.sluice.redis.internal.cluster.ClusterAddress;
import io.sluice.redis.internal.erasure.CountErasure;
import io.sluice.redis.internal.lease.LeaseListener;
import io.sluice.redis.internal.lease.LeaseStore;
import io.sluice.redis.internal.lease.Leases;
import io.sluice.redis.internal.link.Coalescer;
import io.sluice.redis.internal.link.Connector;
import io.sluice.redis.internal.link.RecentRefusals;
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
import io.sluice.redis.store.ForgottenCounts;
import io.sluice.redis.store.StoreState;
import io.sluice.redis.store.StoreVitals;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * An engine that keeps its counts in Redis and shares them with every process that uses the same server. Decisions are exact and
 * follow the clock of the Redis server. Thread-safe.
 *
 * <p>A function in Redis, {@code decide.lua}, makes the decisions. One call decides a whole request with any number of limits, together
 * with every other request that is waiting for the connection. A call is sent only once: if the connection breaks during the call, the call
 * is not repeated, because Redis may already have charged it. The exception is a function that is unknown to Redis, after a restart or a
 * flush. Such a call has charged nothing, so the function is loaded and the call is repeated.
 *
 * <p>While Redis is unreachable, hangs, is slow or fails, requests return undecided immediately and Redis is probed until it answers
 * quickly again; {@link #state} returns the cause. At most {@value Coalescer#MOST_UNDER_WAY} calls are in flight at a time, and the number
 * of requests that wait for them is bounded. This engine does not enforce deadlines; put a {@link io.sluice.core.decorator.FallbackEngine}
 * in front of it.
 */
final class RedisEngine implements NamedEngine {

    private final Connector connector;
    private final Servers servers;
    private final RedisKeys names;
    private final Clock clock;
    private final SlotDivider divider;
    private final LongSupplier serverTime = this::serverMicros;
    private final RecentRefusals refusals = new RecentRefusals();
    private final RedisOptions options;
    private final CountErasure erasure;

    /** The lead of the server's clock over this process's clock in its last reply. Only calendar windows need it. */
    private volatile long aheadMicros;

    private RedisEngine(String uri, String prefix, Clock clock, RedisOptions given, Supplier<String> time) {
        this.names = new RedisKeys(prefix, given.hashTags());
        this.clock = clock;
        this.options = given.slow(RedisAddress.atLeast(given.slow(), uri));
        this.divider = new SlotDivider(serverTime, this::giveBack);
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
        this.erasure = new CountErasure(servers, connector, names);
    }

    /** Connects as {@link #connect(String, String, Clock, RedisOptions)} does, with {@link RedisOptions#defaults}. */
    public static RedisEngine connect(String uri, String prefix, Clock clock) {
        return connect(uri, prefix, clock, RedisOptions.defaults());
    }

    /**
     * Connects in the background and returns immediately. Requests are undecided until Redis is connected.
     *
     * @param uri the address: {@code redis://}, {@code rediss://} or {@code redis-sentinel://} as Lettuce reads them, or {@code
     *     redis-cluster://} ({@code rediss-cluster://} with TLS) with comma-separated seeds
     * @param prefix the prefix of the names of all counts
     * @throws IllegalArgumentException if the URI is invalid, or if the prefix contains a brace and so would put all counts of a
     *     Cluster into one slot
     */
    public static RedisEngine connect(String uri, String prefix, Clock clock, RedisOptions options) {
        if (ClusterAddress.matches(uri) && prefix.indexOf('{') >= 0) {
            throw new IllegalArgumentException(
                    "prefix: \"" + prefix + "\" (expected: no braces, which would put all counts into one slot)");
        }
        return new RedisEngine(uri, prefix, clock, options, () -> "");
    }

    /** Creates an engine that decides by the given time, in microseconds. For tests only. */
    static RedisEngine onTime(String uri, String prefix, Clock clock, RedisOptions options, Supplier<String> time) {
        return new RedisEngine(uri, prefix, clock, options, time);
    }

    /** Returns whether Redis makes the decisions and, if not, the reason and the start of the outage. */
    public StoreState state() {
        return servers.state();
    }

    /** Returns the problems found on a server that still decides, as sentences. Empty if there are none. */
    public List<String> findings() {
        return servers.findings();
    }

    /**
     * Asks the servers for their vital figures, outside the decision path. Completes exceptionally if a server is unavailable, does not
     * answer within the time that a connection may be silent, or forbids the command.
     */
    public CompletionStage<StoreVitals> vitals() {
        CompletableFuture<StoreVitals> all = CompletableFuture.completedFuture(StoreVitals.NONE);
        for (RedisLink link : servers.links()) {
            all = all.thenCombine(link.vitals(), StoreVitals::and);
        }
        return servers.isReady()
                ? all
                : CompletableFuture.failedFuture(new IllegalStateException(FailureNames.DISCONNECTED));
    }

    /** Returns the secret that is stored under this name; if there is none, stores and returns the proposed secret. */
    public CompletionStage<byte[]> agreeOn(String name, byte[] proposed) {
        String key = names.secret(name);
        RedisLink link = servers.link(servers.placeOf(key));
        return link == null
                ? CompletableFuture.failedFuture(new IllegalStateException(FailureNames.DISCONNECTED))
                : link.agreeOn(key.getBytes(StandardCharsets.UTF_8), proposed);
    }

    /** Returns the mark of this name; if there is none, sets and returns the proposed mark. */
    public CompletionStage<byte[]> mark(String name, byte[] proposed) {
        String key = names.mark(name);
        RedisLink link = servers.link(servers.placeOf(key));
        return link == null
                ? CompletableFuture.failedFuture(new IllegalStateException(FailureNames.DISCONNECTED))
                : link.mark(key.getBytes(StandardCharsets.UTF_8), proposed);
    }

    /** Returns the mark of this name; empty if there is none. */
    public CompletionStage<Optional<byte[]>> markOf(String name) {
        String key = names.mark(name);
        RedisLink link = servers.link(servers.placeOf(key));
        return link == null
                ? CompletableFuture.failedFuture(new IllegalStateException(FailureNames.DISCONNECTED))
                : link.markOf(key.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns whether Redis is connected, has loaded the function and answers quickly. */
    public boolean isReady() {
        return servers.isReady();
    }

    /** Completes when {@link #isReady} first becomes true. */
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
        // If one of the counts certainly cannot be decided, charge nothing anywhere.
        for (String count : counts) {
            EngineFailure gone = servers.unavailable(servers.placeOf(count));
            if (gone != null) {
                return gone;
            }
        }
        CompletionStage<Outcome> outcome =
                ask.charges() && isInSeveralPlaces(counts) ? chargeSeveralPlaces(ask, counts) : put(ask, counts);
        return new PendingOutcome(outcome, connector.afterArrivals());
    }

    private boolean isInSeveralPlaces(String[] counts) {
        if (counts.length == 1) {
            return false;
        }
        int first = servers.placeOf(counts[0]);
        for (int i = 1; i < counts.length; i++) {
            if (servers.placeOf(counts[i]) != first) {
                return true;
            }
        }
        return false;
    }

    /** Charges counts that cannot be decided in one step. If one of them refused lately, looks first. */
    private CompletionStage<Outcome> chargeSeveralPlaces(Ask ask, String[] counts) {
        if (!refusals.isExpected(counts, clock.nanoTime())) {
            return chargeAndRemember(ask, counts);
        }
        String trace = ask.trace().isEmpty() ? "" : ask.trace() + "/look";
        return put(ask.looking().tracedBy(trace), counts)
                .thenCompose(seen -> seen instanceof EngineDecision decided && decided.allowed()
                        ? chargeAndRemember(ask, counts)
                        : CompletableFuture.completedFuture(seen));
    }

    private CompletionStage<Outcome> chargeAndRemember(Ask ask, String[] counts) {
        return put(ask, counts).whenComplete((outcome, failure) -> {
            if (outcome instanceof EngineDecision decided) {
                refusals.decided(counts, decided, clock.nanoTime());
            }
        });
    }

    private CompletableFuture<Outcome> put(Ask ask, String[] counts) {
        Operation.AskOperation question = new Operation.AskOperation(ask, counts, serverTime);
        put(question);
        return question.outcome;
    }

    @Override
    public CompletionStage<Boolean> giveBack(List<Charge> charges) {
        if (charges.isEmpty()) {
            return CompletableFuture.completedFuture(false);
        }
        if (charges.size() > Batch.LARGEST_QUESTION) {
            return CompletableFuture.failedFuture(new IllegalArgumentException(
                    "charges: " + charges.size() + " (expected: at most " + Batch.LARGEST_QUESTION + ")"));
        }
        return ask(Operation.ChargeUpdate.givenBack(charges, names, serverTime));
    }

    @Override
    public CompletionStage<Boolean> renew(Charge charge) {
        return ask(Operation.ChargeUpdate.renewed(charge, names, serverTime));
    }

    /**
     * Settles in Redis. A record beside each count stores the settlement for as long as it could be repeated. If the answer is lost, the
     * stage fails; settling again then returns the true result.
     */
    @Override
    public CompletionStage<List<SettlementResult>> settle(List<Settlement> settlements) {
        if (settlements.isEmpty()) {
            return CompletableFuture.completedFuture(List.of());
        }
        if (2 * settlements.size() > Batch.LARGEST_QUESTION) {
            return CompletableFuture.failedFuture(new IllegalArgumentException(
                    "settlements: " + settlements.size() + " (expected: at most " + Batch.LARGEST_QUESTION / 2 + ")"));
        }
        Operation.SettlementUpdate question = Operation.SettlementUpdate.of(settlements, names, serverTime);
        for (String count : question.counts) {
            EngineFailure gone = servers.unavailable(servers.placeOf(count));
            if (gone != null) {
                return CompletableFuture.failedFuture(new IllegalStateException(gone.reason()));
            }
        }
        put(question);
        return question.results;
    }

    /** Forgets the refusals of matching counts. This engine keeps no counts in memory, only the names of counts that refused lately. */
    @Override
    public long forget(KeyMatch match) {
        refusals.forget(count -> names.isOf(match, count));
        return 0;
    }

    /** Removes the counts whose keys match from Redis. Blocks. */
    public ForgottenCounts erase(KeyMatch match, String id) {
        return erasure.forget(match, id);
    }

    @Override
    public void close() {
        servers.close();
        connector.close();
    }

    /**
     * Creates leases on the counts of this engine.
     *
     * @param engine the engine that decides without a lease, on the same counts: this engine or a decorator of it. It is closed together
     *     with the leases
     */
    public Leases leasesInFrontOf(Engine engine) {
        HistoryListener history = options.recording();
        return Leases.over(
                engine,
                leases(),
                clock,
                history == null ? LeaseListener.NONE : new LeaseRecorder(history, names, clock));
    }

    /** Wraps the engine so that each of its answers is recorded; returns it unchanged if there is no history listener. */
    public Engine recorded(Engine engine) {
        HistoryListener history = options.recording();
        return history == null ? engine : new RecordingEngine(engine, history, names, clock);
    }

    /** Returns the source of leases on the counts of this engine. */
    LeaseStore leases() {
        return new LeaseStore() {
            @Override
            public CompletionStage<LeaseReply> request(LeaseRequest request) {
                Operation.LeaseUpdate question = Operation.LeaseUpdate.granting(request, names, serverTime);
                return asked(question);
            }

            @Override
            public CompletionStage<Void> end(Limit limit, String key, List<EndedLease> ended) {
                if (ended.isEmpty()) {
                    return CompletableFuture.completedFuture(null);
                }
                return asked(Operation.LeaseUpdate.ending(limit, key, ended, names, serverTime))
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
        if (question.size() == 1) {
            servers.calls(servers.placeOf(question.counts[0])).ask(question);
            return;
        }
        for (Operation part : divider.divided(question, servers::placeOf)) {
            servers.calls(servers.placeOf(part.counts[0])).ask(part);
        }
    }

    private long serverMicros() {
        return clock.epochMicros() + aheadMicros;
    }
}
