package io.sluice.redis;

import io.sluice.core.DecisionListener;
import io.sluice.core.Limiter;
import io.sluice.core.decorator.Guard;
import io.sluice.core.history.HistoryListener;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.LeasePolicy;
import io.sluice.core.time.Clock;
import io.sluice.redis.internal.lease.DefaultLease;
import io.sluice.redis.internal.lease.Leases;
import io.sluice.redis.internal.link.RedisOptions;
import io.sluice.redis.internal.refusal.DenyCache;
import io.sluice.redis.store.StoreListener;
import io.sluice.redis.store.StoreState;
import io.sluice.redis.store.StoreVitals;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Counts that processes share through Redis, with everything that makes them fast and safe. Safe for use by many threads; open one
 * and share it.
 *
 * <pre>{@code
 * try (RedisStore store = RedisStore.at("redis://127.0.0.1:6379").open()) {
 *     Limiter limiter = store.limiter();
 *     …
 * }
 * }</pre>
 *
 * <p>Decisions are exact, by the time of the Redis server, as long as Redis decides. What each part gives up, and how to leave it
 * out, is said in the {@link Builder}.
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
        // In front of all, because what it refuses is not for the memory to remember, nor worth a lease.
        this.guard = options.guards ? new Guard(decides, options.clock) : null;
        this.engine = guard == null ? decides : guard;
    }

    /**
     * Begins with an address.
     *
     * @param uri {@code redis://host:port} for one server; {@code rediss://} with TLS; {@code
     *     redis-sentinel://h1:p1,h2:p2/#name} for a group with Sentinels; {@code redis-cluster://h1:p1,h2:p2} for a Cluster ({@code
     *     rediss-cluster://} with TLS)
     */
    public static Builder at(String uri) {
        return new Builder(uri);
    }

    /** The limiter on this store, the same each time; closed with the store. */
    public synchronized Limiter limiter() {
        Limiter known = limiter;
        if (known == null) {
            LeasePolicy policy = options.leasing;
            known = new Limiter(
                    policy == null ? engine : new DefaultLease(engine, policy), options.clock, options.listeners);
            limiter = known;
        }
        return known;
    }

    /** What decides, for a limiter or an evaluator of your own. It watches no deadline; a {@link Limiter} does. */
    public Engine engine() {
        return engine;
    }

    /** Whether Redis is connected, knows the function and answers quickly. */
    public boolean isReady() {
        return redis.isReady();
    }

    /** Completes when {@link #isReady} first turns true, on the thread that reads from Redis. */
    public CompletionStage<Void> ready() {
        return redis.ready();
    }

    /** Whether Redis is being asked, and if not, why and since when. */
    public StoreState state() {
        return redis.state();
    }

    /** What is wrong with the servers though they decide, in sentences; empty if nothing is. */
    public List<String> findings() {
        return redis.findings();
    }

    /**
     * Asks the servers how they are doing, beside the decisions. Completes on the thread that reads from Redis; exceptionally if a
     * server is away, does not answer in time, or does not allow the question.
     */
    public CompletionStage<StoreVitals> vitals() {
        return redis.vitals();
    }

    /** How many asks a remembered refusal answered. */
    public long remembered() {
        return refusals == null ? 0 : refusals.remembered();
    }

    /** How many asks the guard refused. */
    public long guarded() {
        return guard == null ? 0 : guard.refused();
    }

    /** How many permits are leased and can be spent now. */
    public long leased() {
        return leases == null ? 0 : leases.outstanding();
    }

    /** Closes the limiter and the connections, and gives leased permits back. */
    @Override
    public synchronized void close() {
        if (limiter != null) {
            limiter.close();
        } else {
            engine.close();
        }
    }

    /** How a store is opened. Everything has a default that is right for most. */
    public static final class Builder {

        private final String uri;
        private String prefix = "rate_limit";
        private Clock clock = Clock.system();
        private RedisOptions redis = RedisOptions.defaults();
        private boolean remembersRefusals = true;
        private boolean leases = true;
        private boolean guards = true;
        private @Nullable LeasePolicy leasing;
        private final List<DecisionListener> listeners = new ArrayList<>();

        private Builder(String uri) {
            this.uri = uri;
        }

        /** What the names of all counts start with; {@code rate_limit} by default. Processes that share counts agree on it. */
        public Builder prefix(String prefix) {
            this.prefix = prefix;
            return this;
        }

        /** The clock of deadlines, alarms and pauses; counts go by the time of the Redis server. */
        public Builder clock(Clock clock) {
            this.clock = clock;
            return this;
        }

        /**
         * Whether asks that wait for the connection go out as one call; on by default. Nothing is given up: an ask that finds the
         * connection idle goes out at once.
         */
        public Builder coalescing(boolean coalesces) {
            redis = redis.coalescing(coalesces);
            return this;
        }

        /**
         * Whether refusals are remembered until the moment that Redis named; on by default. Given up: permits that another process
         * gives back may be noticed late, by 50 ms at most where Redis does not tell of them.
         */
        public Builder rememberedRefusals(boolean remembers) {
            this.remembersRefusals = remembers;
            return this;
        }

        /**
         * Whether permits may be taken in advance where a demand or {@link #leasing} asks for it; on by default. Given up, for those
         * demands alone: up to the outstanding leases, a share of the limit, may be admitted beyond it in an interval.
         */
        public Builder leases(boolean leases) {
            this.leases = leases;
            return this;
        }

        /** Lets every decision of {@link #limiter()} use leases: their size follows the rate of each key, 10 % of the limit at most. */
        public Builder leasing() {
            return leasing(0, 0.1, Duration.ofSeconds(1));
        }

        /**
         * Lets every decision of {@link #limiter()} use leases.
         *
         * @param size permits in one lease; 0 for as many as the rate of each key asks for
         * @param share of the limit that may be outstanding in all processes together, above 0 and at most 1
         * @param ttl how long a lease lasts
         */
        public Builder leasing(long size, double share, Duration ttl) {
            this.leasing = new LeasePolicy(size, share, TimeUnit.MICROSECONDS.convert(ttl));
            return this;
        }

        /**
         * Whether the guards of demands act: a process asks for at most a multiple of each limit at one time; on by default. Demands
         * without a guard are not touched.
         */
        public Builder guard(boolean guards) {
            this.guards = guards;
            return this;
        }

        /**
         * Whether a key that begins with a text in braces, {@code {acme}user=u-17}, says by it in which slot of a Cluster it is kept;
         * off by default. Processes that share counts agree on it.
         */
        public Builder hashTags(boolean hashTags) {
            redis = redis.hashTags(hashTags);
            return this;
        }

        /** A Redis that has not answered for this long is not asked any more until it answers more quickly; 50 ms by default. */
        public Builder slow(Duration slow) {
            redis = redis.slow(slow);
            return this;
        }

        /** Who hears how Redis is doing. */
        public Builder storeListener(StoreListener listener) {
            redis = redis.listener(listener);
            return this;
        }

        /** Who hears of every decision of {@link #limiter()}. */
        public Builder decisionListener(DecisionListener listener) {
            listeners.add(listener);
            return this;
        }

        /** Who hears of every step on every count and of every answer, for checking histories; nobody by default. */
        public Builder recording(HistoryListener history) {
            redis = redis.recording(history);
            return this;
        }

        /**
         * Connects in the background and returns at once; until Redis is there, failure policies decide.
         *
         * @throws IllegalArgumentException if the URI cannot be read, or the prefix would keep a whole Cluster in one slot
         */
        public RedisStore open() {
            return new RedisStore(this);
        }
    }
}
