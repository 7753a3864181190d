package io.sluice.redis.internal.link;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.sluice.core.spi.EngineFailure;
import io.sluice.core.time.Clock;
import io.sluice.redis.internal.wire.DecideLibrary;
import io.sluice.redis.internal.wire.FailureNames;
import io.sluice.redis.store.StoreState;
import io.sluice.redis.store.StoreVitals;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The way to one Redis server (or to whichever the sentinels name): a connection, and whether it is to be used. It is used once
 * Redis has answered a probe on it quickly. It is given up when it breaks, and no longer used when the {@link Breaker} says so;
 * then Redis is probed, one probe at a time, until it answers quickly again. A connection on which not even a probe is answered
 * is replaced. Pauses are random, so that the nodes of a fleet do not all come back in the same moment. Safe for use by many
 * threads.
 */
@SuppressWarnings("FutureReturnValueIgnored") // all of it reports through callbacks
public final class RedisLink implements AutoCloseable {

    public static final String BREAKER_OPEN = "breaker-open";

    /** What a link says until its first connection is used, or has failed. */
    public static final String NOT_YET = "not connected yet";

    private static final System.Logger LOG = System.getLogger(RedisLink.class.getName());
    private static final Duration PAUSE_SHORTEST = Duration.ofMillis(50);
    private static final Duration PAUSE_LONGEST = Duration.ofMillis(350);

    /** A link that takes longer for its first connection is not waited for. */
    private static final Duration STARTING = Duration.ofSeconds(1);

    /** A connection without an answer for this long is replaced. */
    private static final Duration STUCK = Duration.ofMillis(400);

    private final RedisURI uri;
    private final Connector connector;
    private final Clock clock;
    private final RedisOptions options;
    private final Breaker breaker;
    private final ServerWatch server;
    private final long madeNanos;
    private final CompletableFuture<Void> ready = new CompletableFuture<>();
    private final AtomicBoolean suspected = new AtomicBoolean();
    private volatile @Nullable StatefulRedisConnection<byte[], byte[]> used;
    private volatile StoreState state;
    private volatile boolean closed;
    private volatile boolean told;

    /** The last one that was closed; Lettuce complains about one that is closed again. Guarded by this. */
    private @Nullable StatefulRedisConnection<byte[], byte[]> dropped;

    /** Why a connection was given up that did not break by itself; null if it did. */
    private volatile @Nullable String givenUpFor;

    /** How often the library was sent to be loaded, and by which connection. */
    private volatile @Nullable Loads loads;

    /** Made or probed, and not used yet or no longer. Guarded by this. */
    private @Nullable StatefulRedisConnection<byte[], byte[]> probed;

    RedisLink(RedisURI uri, Connector connector, Clock clock, RedisOptions options) {
        this(uri, connector, clock, options, false);
    }

    /** @param inCluster whether it leads to a node of a Cluster, as part of it */
    public RedisLink(RedisURI uri, Connector connector, Clock clock, RedisOptions options, boolean inCluster) {
        this.uri = uri;
        this.connector = connector;
        this.clock = clock;
        this.options = options;
        this.madeNanos = clock.nanoTime();
        this.breaker = new Breaker(options.slow());
        this.server = new ServerWatch(address(), inCluster);
        this.state = StoreState.down(FailureNames.DISCONNECTED, NOT_YET, clock.epochMicros());
        connect();
    }

    /** What to send by now; null while nothing is to be sent. */
    @Nullable
    public StatefulRedisConnection<byte[], byte[]> connection() {
        StatefulRedisConnection<byte[], byte[]> current = used;
        return current == null || closed || !current.isOpen() ? null : current;
    }

    /** Why nothing is to be sent. */
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

    /** Whether its first connection is still being made: it may be worth the wait. */
    public boolean isStarting() {
        return !closed && state.cause().equals(NOT_YET) && clock.nanoTime() - madeNanos < STARTING.toNanos();
    }

    public boolean isReady() {
        return connection() != null;
    }

    CompletionStage<Void> ready() {
        return ready.copy();
    }

    /** What the server says of itself. */
    public CompletableFuture<StoreVitals> vitals() {
        StatefulRedisConnection<byte[], byte[]> redis = connection();
        return redis == null
                ? CompletableFuture.failedFuture(
                        new IllegalStateException(unavailable().reason()))
                : server.vitals(redis);
    }

    /** A call goes out. */
    void sent() {
        breaker.sent(clock.nanoTime());
    }

    /** How many loads of the library have gone out on a connection: whatever goes out now comes after them. */
    int loadsOn(StatefulRedisConnection<byte[], byte[]> redis) {
        Loads sent = loads;
        return sent != null && sent.by == redis ? sent.number : 0;
    }

    /** A load of the library has gone out. */
    synchronized void loadSent(StatefulRedisConnection<byte[], byte[]> redis) {
        loads = new Loads(redis, loadsOn(redis) + 1);
    }

    /** A call on a connection has ended, well or badly. */
    void landed(StatefulRedisConnection<byte[], byte[]> redis, boolean bad, String cause) {
        if (breaker.landed(bad, clock.nanoTime())) {
            open(redis, cause);
        }
    }

    /** Stops using a connection on which nothing has returned for too long. */
    public void checkProgress() {
        StatefulRedisConnection<byte[], byte[]> current = used;
        if (current != null && breaker.isStalled(clock.nanoTime()) && suspected.compareAndSet(false, true)) {
            // The answers may be here, unread, because it was this process that stood still.
            connector.afterArrivals().execute(() -> {
                suspected.set(false);
                if (breaker.isStalled(clock.nanoTime())) {
                    open(current, FailureNames.TIMEOUT);
                }
            });
        }
    }

    /** Uses a connection no longer, because something sent on it was lost, or it leads to the wrong server. */
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
                notConnected(ServerWatch.explained(failure, uri));
            }
        });
    }

    /** How long a connection may be silent: whoever takes a slow Redis for a good one does not give its connections up sooner. */
    private Duration silence() {
        return options.slow().compareTo(Connector.CONNECTING_MAY_TAKE) > 0
                ? options.slow()
                : Connector.CONNECTING_MAY_TAKE;
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
        // It may have broken before anybody listened.
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
        notConnected(reason == null ? "the connection broke" : reason);
    }

    private void notConnected(String cause) {
        if (closed) {
            return;
        }
        if (!state.reason().equals(FailureNames.DISCONNECTED) || !state.cause().equals(cause)) {
            become(StoreState.down(FailureNames.DISCONNECTED, cause, since()));
        }
        afterPause(this::connect);
    }

    /** The breaker opens: asks are not sent any more, and probes are. */
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
        long sent = clock.nanoTime();
        Clock.Alarm stuck =
                clock.at(sent + STUCK.toNanos(), () -> giveUp(redis, "no answer within " + STUCK.toMillis() + " ms"));
        DecideLibrary.probe(redis).whenComplete((done, failure) -> {
            stuck.cancel();
            if (failure != null) {
                probeFailed(redis, failure);
            } else if (clock.nanoTime() - sent <= options.slow().toNanos()) {
                use(redis);
            } else if (first) {
                // What is done for the first time takes long here, whatever Redis does.
                probe(redis, false);
            } else {
                afterPause(() -> probe(redis, false));
            }
        });
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
            breaker.reset(clock.nanoTime());
            probed = null;
            used = redis;
        }
        become(StoreState.up(clock.epochMicros()));
        ready.complete(null);
    }

    /** One line when it goes, one when it comes back. */
    private void become(StoreState next) {
        StoreState before = state;
        state = next;
        if (next.available()) {
            LOG.log(Level.INFO, "Redis at {0} decides; {1}", address(), lasted(before, next));
            told = false;
        } else if (!told) {
            LOG.log(
                    Level.WARNING,
                    "Redis at {0} does not decide, failure policies do: {1} ({2})",
                    address(),
                    next.reason(),
                    next.cause());
            told = true;
        }
        try {
            options.listener().changed(next);
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "a store listener failed", e);
        }
    }

    private static String lasted(StoreState before, StoreState next) {
        long millis = (next.sinceMicros() - before.sinceMicros()) / 1_000;
        return "it did not for " + millis + " ms (" + before.cause() + ")";
    }

    /** Of one outage, whatever its reasons in turn. */
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
