package io.sluice.redis.internal.link;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.sluice.core.spi.EngineFailure;
import io.sluice.core.time.Clock;
import io.sluice.redis.internal.wire.DecideLibrary;
import io.sluice.redis.internal.wire.FailureNames;
import io.sluice.redis.store.StoreState;
import io.sluice.redis.store.StoreVitals;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The link to one Redis server, or to the server that the Sentinels name. It has a connection and decides whether to use it. A connection
 * is used once Redis has answered a probe on it quickly. It is dropped when it breaks. When the {@link Breaker} trips, the connection is no
 * longer used, and Redis is probed, one probe at a time, until it answers quickly again. A connection on which not even a probe is answered
 * is replaced. Pauses are random, so that the nodes of a fleet do not all reconnect at the same moment. Thread-safe.
 */
@SuppressWarnings("FutureReturnValueIgnored") // results arrive through callbacks
public final class RedisLink implements AutoCloseable {

    public static final String BREAKER_OPEN = "breaker-open";

    /** The cause until the first connection is in use or has failed. */
    public static final String NOT_YET = "not connected yet";

    private static final System.Logger LOG = System.getLogger(RedisLink.class.getName());
    private static final Duration PAUSE_SHORTEST = Duration.ofMillis(50);
    private static final Duration PAUSE_LONGEST = Duration.ofMillis(350);

    /** Callers wait at most this long for the first connection of a link. */
    private static final Duration STARTING = Duration.ofSeconds(1);

    /** A connection that leaves a probe unanswered for this long, or for the {@code slow} option if that is longer, is replaced. */
    private static final Duration STUCK = Duration.ofMillis(400);

    /** The divisor of the {@code slow} option below which a call is quick. */
    private static final int QUICK_PART = 5;

    /** The time that a secret is kept after the last process asked for it. */
    private static final Duration AGREED_FOR = Duration.ofDays(7);

    private final RedisURI uri;
    private final Connector connector;
    private final Clock clock;
    private final RedisOptions options;
    private final Breaker breaker;
    private final ReadingTime reading;
    private final ServerWatch server;
    private final long madeNanos;
    private final CompletableFuture<Void> ready = new CompletableFuture<>();
    private final AtomicBoolean suspected = new AtomicBoolean();
    private volatile @Nullable StatefulRedisConnection<byte[], byte[]> used;
    private volatile StoreState state;
    private volatile boolean closed;

    /** The cause of the current outage that was logged last; empty if there is no outage. */
    private volatile String told = "";

    /** The last connection that was closed; Lettuce logs a warning if a connection is closed twice. Guarded by this. */
    private @Nullable StatefulRedisConnection<byte[], byte[]> dropped;

    /** The reason why a connection was given up; null if it broke by itself. */
    private volatile @Nullable String givenUpFor;

    /** The number of times that the library was sent to be loaded, and the connection. */
    private volatile @Nullable Loads loads;

    /** A connection that is open but not in use, because it is being probed. Guarded by this. */
    private @Nullable StatefulRedisConnection<byte[], byte[]> probed;

    RedisLink(RedisURI uri, Connector connector, Clock clock, RedisOptions options) {
        this(uri, connector, clock, options, false);
    }

    /**
     * Creates a link and starts to connect.
     *
     * @param inCluster whether the server is a node of a Cluster
     */
    public RedisLink(RedisURI uri, Connector connector, Clock clock, RedisOptions options, boolean inCluster) {
        this.uri = uri;
        this.connector = connector;
        this.clock = clock;
        this.options = options;
        this.madeNanos = clock.nanoTime();
        this.breaker = new Breaker(options.slow());
        this.reading = connector.readingTime();
        this.server = new ServerWatch(address(), inCluster);
        this.state = StoreState.down(FailureNames.DISCONNECTED, NOT_YET, clock.epochMicros());
        connect();
    }

    /** Returns the connection to send on, or null while no call may be sent. */
    @Nullable
    public StatefulRedisConnection<byte[], byte[]> connection() {
        StatefulRedisConnection<byte[], byte[]> current = used;
        return current == null || closed || !current.isOpen() ? null : current;
    }

    /** Returns the reason why no call may be sent. */
    public EngineFailure unavailable() {
        StoreState current = state;
        return new EngineFailure(
                closed ? "closed" : current.available() ? FailureNames.DISCONNECTED : current.reason(), false);
    }

    public StoreState state() {
        return state;
    }

    public ServerWatch server() {
        return server;
    }

    public RedisURI uri() {
        return uri;
    }

    /** Returns whether the first connection is still being made, so that waiting for it may be worthwhile. */
    public boolean isStarting() {
        return !closed && state.cause().equals(NOT_YET) && clock.nanoTime() - madeNanos < STARTING.toNanos();
    }

    public boolean isReady() {
        return connection() != null;
    }

    CompletionStage<Void> ready() {
        return ready.copy();
    }

    /** Asks the server for its vital figures. */
    public CompletableFuture<StoreVitals> vitals() {
        StatefulRedisConnection<byte[], byte[]> redis = connection();
        return redis == null
                ? CompletableFuture.failedFuture(
                        new IllegalStateException(unavailable().reason()))
                : server.vitals(redis);
    }

    /** Returns the value of a key; if there is none, stores and returns the proposed value. The key lives for a week from now. */
    public CompletableFuture<byte[]> agreeOn(byte[] key, byte[] proposed) {
        StatefulRedisConnection<byte[], byte[]> redis = connection();
        if (redis == null) {
            return CompletableFuture.failedFuture(
                    new IllegalStateException(unavailable().reason()));
        }
        return redis.async()
                .setGet(key, proposed, SetArgs.Builder.nx().px(AGREED_FOR))
                .thenCombine(
                        redis.async().pexpire(key, AGREED_FOR), (stored, kept) -> stored == null ? proposed : stored)
                .toCompletableFuture();
    }

    /**
     * Returns the value of a key; if there is none, stores and returns the proposed value. The key lives as long as the data of the server.
     */
    public CompletableFuture<byte[]> mark(byte[] key, byte[] proposed) {
        StatefulRedisConnection<byte[], byte[]> redis = connection();
        if (redis == null) {
            return CompletableFuture.failedFuture(
                    new IllegalStateException(unavailable().reason()));
        }
        return redis.async()
                .setGet(key, proposed, SetArgs.Builder.nx())
                .thenApply(stored -> stored == null ? proposed : stored)
                .toCompletableFuture();
    }

    /** Returns the value of a key; empty if there is none. */
    public CompletableFuture<Optional<byte[]>> markOf(byte[] key) {
        StatefulRedisConnection<byte[], byte[]> redis = connection();
        if (redis == null) {
            return CompletableFuture.failedFuture(
                    new IllegalStateException(unavailable().reason()));
        }
        return redis.async().get(key).thenApply(Optional::ofNullable).toCompletableFuture();
    }

    /** Records that a call is about to be sent. Returns the {@link ReadingTime}. */
    long sent() {
        reading.sent();
        long now = reading.nanos();
        breaker.sent(now);
        return now;
    }

    /** Returns the {@link ReadingTime}. */
    long readingNanos() {
        return reading.nanos();
    }

    /** Returns the duration below which a call never counts as slow, even if its callers are late. */
    long quickNanos() {
        return options.slow().toNanos() / QUICK_PART;
    }

    /** Returns the number of loads of the library that were sent on a connection. All later calls on it run after them. */
    int loadsOn(StatefulRedisConnection<byte[], byte[]> redis) {
        Loads sent = loads;
        return sent != null && sent.by == redis ? sent.number : 0;
    }

    /** Records that a load of the library was sent. */
    synchronized void loadSent(StatefulRedisConnection<byte[], byte[]> redis) {
        loads = new Loads(redis, loadsOn(redis) + 1);
    }

    /** Records that a call on a connection has ended, successfully or not. */
    void landed(StatefulRedisConnection<byte[], byte[]> redis, boolean bad, String cause) {
        reading.landed();
        if (breaker.landed(bad, reading.nanos())) {
            open(redis, cause);
        }
    }

    /** Stops using a connection on which nothing has returned for too long. */
    public void checkProgress() {
        StatefulRedisConnection<byte[], byte[]> current = used;
        if (current != null && breaker.isStalled(reading.nanos()) && suspected.compareAndSet(false, true)) {
            // The answers may have arrived but still be unread, because this process itself was paused.
            connector.afterArrivals().execute(() -> {
                suspected.set(false);
                if (breaker.isStalled(reading.nanos())) {
                    open(current, FailureNames.TIMEOUT);
                }
            });
        }
    }

    /** Stops using a connection and closes it, because a call on it was lost or it leads to the wrong server. */
    void drop(StatefulRedisConnection<byte[], byte[]> lossy) {
        synchronized (this) {
            if (dropped == lossy) {
                return;
            }
            dropped = lossy;
        }
        lossy.closeAsync();
    }

    @Override
    public void close() {
        closed = true;
        StatefulRedisConnection<byte[], byte[]> current;
        synchronized (this) {
            current = used != null ? used : probed;
            used = null;
            probed = null;
        }
        if (current != null) {
            current.closeAsync();
        }
    }

    private void giveUp(StatefulRedisConnection<byte[], byte[]> redis, String why) {
        if (redis.isOpen()) {
            givenUpFor = why;
            drop(redis);
        }
    }

    private void connect() {
        if (closed) {
            return;
        }
        connector.connect(uri).whenComplete((made, failure) -> {
            if (failure == null) {
                connected(made);
            } else {
                notConnected(FailureNames.notConnected(failure), ServerWatch.explained(failure, uri));
            }
        });
    }

    /** Returns the time that a connection may be silent. A larger {@code slow} option also keeps silent connections for longer. */
    private Duration silence() {
        return longerOf(options.slow(), Connector.CONNECTING_MAY_TAKE);
    }

    private static Duration longerOf(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    private void connected(StatefulRedisConnection<byte[], byte[]> made) {
        AtomicBoolean lost = new AtomicBoolean();
        made.setTimeout(silence());
        synchronized (this) {
            probed = made;
        }
        made.addListener(new RedisConnectionStateListener() {
            @Override
            public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
                if (lost.compareAndSet(false, true)) {
                    lost(made);
                }
            }
        });
        // The connection may have broken before the listener was added.
        if (closed || !made.isOpen()) {
            drop(made);
            if (lost.compareAndSet(false, true)) {
                lost(made);
            }
            return;
        }
        server.ask(made);
        probe(made, true);
    }

    private void lost(StatefulRedisConnection<byte[], byte[]> broken) {
        drop(broken);
        synchronized (this) {
            used = used == broken ? null : used;
            probed = probed == broken ? null : probed;
        }
        String reason = givenUpFor;
        givenUpFor = null;
        notConnected(FailureNames.DISCONNECTED, reason == null ? "the connection broke" : reason);
    }

    private void notConnected(String reason, String cause) {
        if (closed) {
            return;
        }
        if (!state.reason().equals(reason) || !state.cause().equals(cause)) {
            become(StoreState.down(reason, cause, since()));
        }
        afterPause(this::connect);
    }

    /** Opens the breaker: only probes are sent, and no requests. */
    private void open(StatefulRedisConnection<byte[], byte[]> redis, String cause) {
        synchronized (this) {
            if (used != redis) {
                return;
            }
            used = null;
            probed = redis;
        }
        become(StoreState.down(BREAKER_OPEN, cause, clock.epochMicros()));
        if (FailureNames.wantsAnotherConnection(cause)) {
            giveUp(redis, cause);
        } else {
            probe(redis, false);
        }
    }

    private void probe(StatefulRedisConnection<byte[], byte[]> redis, boolean first) {
        if (closed || !redis.isOpen()) {
            return;
        }
        reading.sent();
        long sent = reading.nanos();
        CompletableFuture<byte[]> answer = DecideLibrary.probe(redis).toCompletableFuture();
        Duration patience = longerOf(options.slow(), STUCK);
        Clock.Alarm stuck = clock.at(
                clock.nanoTime() + patience.toNanos(),
                () -> connector.afterArrivals().execute(() -> giveUpUnless(answer, redis, patience)));
        answer.whenComplete((done, failure) -> {
            stuck.cancel();
            reading.landed();
            if (failure != null) {
                probeFailed(redis, failure);
            } else if (reading.nanos() - sent <= options.slow().toNanos()) {
                use(redis);
            } else if (first) {
                // The first call on a connection is slow in this process, even if Redis is fast.
                probe(redis, false);
            } else {
                afterPause(() -> probe(redis, false));
            }
        });
    }

    private void giveUpUnless(
            CompletableFuture<byte[]> answer, StatefulRedisConnection<byte[], byte[]> redis, Duration patience) {
        if (!answer.isDone()) {
            giveUp(redis, "no answer within " + patience.toMillis() + " ms");
        }
    }

    private void probeFailed(StatefulRedisConnection<byte[], byte[]> redis, Throwable failure) {
        if (DecideLibrary.isUnknown(failure)) {
            DecideLibrary.load(redis).whenComplete((loaded, notLoaded) -> {
                if (notLoaded == null) {
                    probe(redis, true);
                } else {
                    probeFailed(redis, notLoaded);
                }
            });
            return;
        }
        String cause = FailureNames.undecided(failure).reason();
        String sentence = ServerWatch.explained(failure, uri);
        if (redis.isOpen() && !sentence.equals(state.cause())) {
            become(StoreState.down(BREAKER_OPEN, sentence, since()));
        }
        if (FailureNames.wantsAnotherConnection(cause)) {
            giveUp(redis, sentence);
        } else {
            afterPause(() -> probe(redis, false));
        }
    }

    private void use(StatefulRedisConnection<byte[], byte[]> redis) {
        synchronized (this) {
            if (closed || probed != redis) {
                return;
            }
            breaker.reset(reading.nanos());
            probed = null;
            used = redis;
        }
        become(StoreState.up(clock.epochMicros()));
        ready.complete(null);
    }

    /**
     * Changes the state. Logs one line when Redis becomes unavailable and one line when it is available again. If Redis denies access
     * meanwhile, logs one more line, because this problem will not end by itself.
     */
    private void become(StoreState next) {
        StoreState before = state;
        state = next;
        if (next.available()) {
            LOG.log(Level.INFO, "Redis at {0} is available and decides; {1}", address(), lasted(before, next));
            told = "";
        } else if (told.isEmpty() || (FailureNames.isOfAccess(next.reason()) && !told.equals(next.cause()))) {
            LOG.log(
                    Level.WARNING,
                    "Redis at {0} is unavailable ({1}: {2}); decisions now follow the on_failure policy of each rule",
                    address(),
                    next.reason(),
                    next.cause());
            told = next.cause();
        }
        options.listener().changed(next);
    }

    private static String lasted(StoreState before, StoreState next) {
        long millis = (next.sinceMicros() - before.sinceMicros()) / 1_000;
        return "it was unavailable for " + millis + " ms (" + before.cause() + ")";
    }

    /** Returns the start of the current outage, even if its cause has changed since. */
    private long since() {
        return state.available() ? clock.epochMicros() : state.sinceMicros();
    }

    private void afterPause(Runnable task) {
        long millis = ThreadLocalRandom.current().nextLong(PAUSE_SHORTEST.toMillis(), PAUSE_LONGEST.toMillis());
        clock.at(clock.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis), task);
    }

    private String address() {
        return uri.getSentinels().isEmpty()
                ? uri.getHost() + ":" + uri.getPort()
                : "sentinels of " + uri.getSentinelMasterId();
    }

    private record Loads(StatefulRedisConnection<byte[], byte[]> by, int number) {}
}
