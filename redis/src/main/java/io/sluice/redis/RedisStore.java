package io.sluice.redis;

import io.sluice.core.DecisionListener;
import io.sluice.core.KeyedLimits;
import io.sluice.core.Limiter;
import io.sluice.core.decorator.Guard;
import io.sluice.core.history.HistoryListener;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.FailurePolicy;
import io.sluice.core.spi.KeyMatch;
import io.sluice.core.spi.LeasePolicy;
import io.sluice.core.time.Clock;
import io.sluice.redis.internal.lease.DefaultLease;
import io.sluice.redis.internal.lease.Leases;
import io.sluice.redis.internal.link.RedisOptions;
import io.sluice.redis.internal.refusal.DenyCache;
import io.sluice.redis.store.ForgottenCounts;
import io.sluice.redis.store.StoreListener;
import io.sluice.redis.store.StoreState;
import io.sluice.redis.store.StoreVitals;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Counts that processes share through Redis, together with the parts that make them fast and safe. Thread-safe; open one store
 * and share it.
 *
 * <pre>{@code
 * try (RedisStore store = RedisStore.at("redis://127.0.0.1:6379").open()) {
 *     Limiter limiter = store.limiter();
 *     …
 * }
 * }</pre>
 *
 * <p>Decisions are exact and follow the clock of the Redis server for as long as Redis is available. The {@link Builder} describes the cost
 * of each part and how to turn it off.
 */
public final class RedisStore implements AutoCloseable {

    private final RedisEngine redis;
    private final @Nullable DenyCache refusals;
    private final @Nullable Leases leases;
    private final @Nullable Guard guard;
    private final Engine engine;
    private final Builder options;
    private @Nullable Limiter limiter;

    private RedisStore(Builder options) {
        this.options = options;
        this.redis = RedisEngine.connect(options.uri, options.prefix, options.clock, options.redis);
        this.refusals = options.remembersRefusals
                ? DenyCache.over(redis, options.uri, options.prefix, options.clock, options.redis)
                : null;
        Engine decides = redis.recorded(refusals == null ? redis : refusals);
        this.leases = options.leases ? redis.leasesInFrontOf(decides) : null;
        decides = leases == null ? decides : leases;
        // The guard goes in front of everything: its refusals must not be cached and are not worth a lease.
        this.guard = options.guards ? new Guard(decides, options.clock) : null;
        this.engine = guard == null ? decides : guard;
    }

    /**
     * Starts building a store for the given address.
     *
     * @param uri the address: {@code redis://host:port} for one server; {@code rediss://} with TLS; {@code
     *     redis-sentinel://h1:p1,h2:p2/#name} for a group with Sentinels; {@code redis-cluster://h1:p1,h2:p2} for a Cluster ({@code
     *     rediss-cluster://} with TLS)
     */
    public static Builder at(String uri) {
        return new Builder(uri);
    }

    /** Returns the limiter on this store. Every call returns the same limiter, which is closed together with the store. */
    public synchronized Limiter limiter() {
        Limiter known = limiter;
        if (known == null) {
            LeasePolicy policy = options.leasing;
            known = new Limiter(
                    policy == null ? engine : new DefaultLease(engine, policy),
                    options.clock,
                    options.listeners,
                    options.deadline,
                    options.onFailure);
            limiter = known;
        }
        return known;
    }

    /** Returns the engine, for a limiter or an evaluator of your own. It does not enforce deadlines; a {@link Limiter} does. */
    public Engine engine() {
        return engine;
    }

    /** Returns whether Redis is connected, has loaded the function and answers quickly. */
    public boolean isReady() {
        return redis.isReady();
    }

    /** Completes when {@link #isReady} first becomes true, on the thread that reads from Redis. */
    public CompletionStage<Void> ready() {
        return redis.ready();
    }

    /** Returns whether Redis makes the decisions and, if not, the reason and the start of the outage. */
    public StoreState state() {
        return redis.state();
    }

    /** Returns the problems found on servers that still decide, as sentences. Empty if there are none. */
    public List<String> findings() {
        return redis.findings();
    }

    /**
     * Asks the servers for their vital figures, outside the decision path. Completes on the thread that reads from Redis. Completes
     * exceptionally if a server is unavailable, does not answer in time, or forbids the command.
     */
    public CompletionStage<StoreVitals> vitals() {
        return redis.vitals();
    }

    /**
     * Agrees on a secret with all processes that use this store and prefix: returns the stored secret; if there is none, stores and returns
     * the proposed secret. Redis keeps it until no process has asked for it for a week. Clients that can read the counts can read the
     * secret. Completes on the thread that reads from Redis, and exceptionally if Redis is unavailable.
     *
     * @param name the purpose of the secret, in letters, digits and {@code -}
     */
    public CompletionStage<byte[]> agreeOn(String name, byte[] proposed) {
        return redis.agreeOn(name, proposed);
    }

    /**
     * Returns the mark of this name; if there is none, sets and returns the proposed mark. A mark lives as long as the data of Redis, so a
     * different mark shows that all data was lost. A Cluster has one copy of a mark, on one of its servers. Completes on the thread that
     * reads from Redis, and exceptionally if Redis is unavailable.
     *
     * @param name the name, in letters, digits and {@code -}
     */
    public CompletionStage<byte[]> mark(String name, byte[] proposed) {
        return redis.mark(name, proposed);
    }

    /** Returns the mark of this name; empty if there is none. */
    public CompletionStage<Optional<byte[]>> markOf(String name) {
        return redis.markOf(name);
    }

    /**
     * Forgets the counts whose keys match: ends their leases, drops what this process keeps in memory, and removes them from Redis with
     * everything recorded beside them. Other counts are not touched, and decisions do not wait. Later requests are counted from zero.
     *
     * <p>Blocks while it goes through all names in Redis, so call it on a thread of your own. If several processes call it with the same
     * id, one of them does the work, and the others report that it is in progress or already done.
     *
     * @param id the name of this erasure for a day, in letters, digits and {@code -}; it must not identify the subject
     */
    public ForgottenCounts forget(KeyMatch match, String id) {
        long unused = engine.forget(match);
        return redis.erase(match, id);
    }

    /** Returns the number of requests that were answered from a cached refusal. */
    public long remembered() {
        return refusals == null ? 0 : refusals.remembered();
    }

    /** Returns the number of requests that the guard refused. */
    public long guarded() {
        return guard == null ? 0 : guard.refused();
    }

    /** Returns the number of leased permits that can be spent now. */
    public long leased() {
        return leases == null ? 0 : leases.outstanding();
    }

    /** Returns the leased permits, then closes the limiter and the connections. */
    @Override
    public synchronized void close() {
        if (limiter != null) {
            limiter.close();
        } else {
            engine.close();
        }
    }

    /** Configures a store. The defaults suit most applications. */
    public static final class Builder {

        private final String uri;
        private String prefix = "rate_limit";
        private Clock clock = Clock.system();
        private RedisOptions redis = RedisOptions.defaults();
        private boolean remembersRefusals = true;
        private boolean leases = true;
        private boolean guards = true;
        private @Nullable LeasePolicy leasing;
        private Duration deadline = Limiter.DEFAULT_DEADLINE;
        private FailurePolicy onFailure = FailurePolicy.LOCAL;
        private final List<DecisionListener> listeners = new ArrayList<>();

        private Builder(String uri) {
            this.uri = uri;
        }

        /**
         * Sets the prefix of the names of all counts. Processes that share counts must use the same prefix. Default: {@code rate_limit}.
         */
        public Builder prefix(String prefix) {
            this.prefix = prefix;
            return this;
        }

        /**
         * Sets how long {@link #limiter()} waits for Redis to decide, at most 1000 days. Default: 20 ms. A decision may have its own:
         * {@link KeyedLimits#within}.
         */
        public Builder deadline(Duration deadline) {
            this.deadline = deadline;
            return this;
        }

        /**
         * Sets the policy that decides if Redis does not. By default each process enforces half of each limit by itself. A decision may
         * have its own: {@link KeyedLimits#onFailure}.
         */
        public Builder onFailure(FailurePolicy policy) {
            this.onFailure = policy;
            return this;
        }

        /** Sets the clock for deadlines, timers and pauses. Counts follow the clock of the Redis server. */
        public Builder clock(Clock clock) {
            this.clock = clock;
            return this;
        }

        /**
         * Sets whether requests that wait for the connection are sent as one call. On by default. This costs nothing: a request that finds
         * the connection idle is sent immediately.
         */
        public Builder coalescing(boolean coalesces) {
            redis = redis.coalescing(coalesces);
            return this;
        }

        /**
         * Sets whether a refusal is cached until the retry time that Redis gave. On by default. The cost: permits that another
         * process returns may become visible late, by at most 50 ms while Redis does not announce them.
         */
        public Builder rememberedRefusals(boolean remembers) {
            this.remembersRefusals = remembers;
            return this;
        }

        /**
         * Sets whether permits may be leased in advance if a demand or {@link #leasing} asks for it. On by default. The cost, for these
         * demands only: within an interval, up to the outstanding leases (a share of the limit) may be admitted beyond the limit.
         */
        public Builder leases(boolean leases) {
            this.leases = leases;
            return this;
        }

        /**
         * Lets every decision of {@link #limiter()} use leases. Their size follows the rate of each key, up to 10 % of the limit.
         */
        public Builder leasing() {
            return leasing(0, 0.1, Duration.ofSeconds(1));
        }

        /**
         * Lets every decision of {@link #limiter()} use leases.
         *
         * @param size the number of permits in one lease; 0 sizes the lease by the rate of each key
         * @param share the part of the limit that all processes together may hold in leases, above 0 and at most 1
         * @param ttl the duration of a lease
         */
        public Builder leasing(long size, double share, Duration ttl) {
            this.leasing = new LeasePolicy(size, share, TimeUnit.MICROSECONDS.convert(ttl));
            return this;
        }

        /**
         * Sets whether the guards of demands are active. A guard limits the permits that one process asks for at a time to a multiple of
         * each limit. On by default. Demands without a guard are not affected.
         */
        public Builder guard(boolean guards) {
            this.guards = guards;
            return this;
        }

        /**
         * Sets whether text in braces at the start of a key, as in {@code {acme}user=u-17}, chooses the slot of a Cluster in
         * which the key is stored. Off by default. Processes that share counts must use the same setting.
         */
        public Builder hashTags(boolean hashTags) {
            redis = redis.hashTags(hashTags);
            return this;
        }

        /**
         * Sets the time that Redis may leave calls unanswered. After this time it is no longer asked until it answers faster. Default: 50
         * ms.
         */
        public Builder slow(Duration slow) {
            redis = redis.slow(slow);
            return this;
        }

        /** Sets the listener that is notified of the state of Redis and of every call. */
        public Builder storeListener(StoreListener listener) {
            redis = redis.listener(listener);
            return this;
        }

        /** Adds a listener that is notified of every decision of {@link #limiter()}. */
        public Builder decisionListener(DecisionListener listener) {
            listeners.add(listener);
            return this;
        }

        /**
         * Sets the listener that receives every step on every count and every answer, for checking histories. None by default.
         */
        public Builder recording(HistoryListener history) {
            redis = redis.recording(history);
            return this;
        }

        /**
         * Connects in the background and returns immediately. Until Redis is connected, failure policies decide.
         *
         * @throws IllegalArgumentException if the URI is invalid, or if the prefix contains a brace and so would put all counts
         *     of a Cluster into one slot
         */
        public RedisStore open() {
            return new RedisStore(this);
        }
    }
}
