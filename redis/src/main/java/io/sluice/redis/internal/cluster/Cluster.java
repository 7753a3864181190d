package io.sluice.redis.internal.cluster;

import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.SlotHash;
import io.sluice.core.spi.EngineFailure;
import io.sluice.core.time.Clock;
import io.sluice.redis.internal.link.Coalescer;
import io.sluice.redis.internal.link.Connector;
import io.sluice.redis.internal.link.RedisLink;
import io.sluice.redis.internal.link.RedisOptions;
import io.sluice.redis.internal.link.Route;
import io.sluice.redis.internal.link.ServerLayout;
import io.sluice.redis.internal.link.ServerWatch;
import io.sluice.redis.internal.link.Servers;
import io.sluice.redis.internal.wire.FailureNames;
import io.sluice.redis.store.StoreListener;
import io.sluice.redis.store.StoreState;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The primaries of a Redis Cluster, with the slots and the link of each primary. Any node can report the owners. They are read every few
 * seconds, several times a second while there is a problem, and immediately when a node reports a moved slot or a link breaks. In between,
 * redirections are trusted. A place is a slot. Thread-safe.
 *
 * <p>Lettuce's own Cluster client is not used: it reconnects and resends unanswered calls, which could charge twice, and it has no breaker
 * per primary. See ADR 9.
 *
 * <p>Each primary has its own link with its own breaker. A primary that is down stops only the decisions on its own slots.
 */
public final class Cluster implements Servers {

    static final String DOWN = "redis-clusterdown";

    private static final System.Logger LOG = System.getLogger(Cluster.class.getName());
    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(100);

    /** A node that has not been named for this long is dropped; by then all calls to it have ended. */
    private static final Duration FORGOTTEN = Duration.ofSeconds(5);

    /** A problem that has lasted longer than this will probably continue, so the owners are read less often. */
    private static final Duration RECENT = Duration.ofSeconds(10);

    private final ClusterAddress address;
    private final Connector connector;
    private final Clock clock;
    /** The listener, which is notified about the Cluster as a whole. */
    private final StoreListener listener;

    /** The options of each link. */
    private final RedisOptions options;

    private final Function<Route, Coalescer> coalescers;
    private final ConcurrentHashMap<Endpoint, ClusterNode> nodes = new ConcurrentHashMap<>();
    private final AtomicReferenceArray<@Nullable ClusterNode> owners = new AtomicReferenceArray<>(SlotHash.SLOT_COUNT);

    /** The coalescer of each slot, created on first use; all together take a few megabytes. */
    private final AtomicReferenceArray<@Nullable Coalescer> calls = new AtomicReferenceArray<>(SlotHash.SLOT_COUNT);

    private final CompletableFuture<Void> ready = new CompletableFuture<>();
    private final RepeatedTask reading;
    private volatile StoreState state;
    private volatile boolean closed;

    /** The topology that was read last; null before the first reading. */
    private volatile @Nullable ClusterTopology shards;

    /** The reason why no topology has been read yet. */
    private volatile String unread = RedisLink.NOT_YET;

    public Cluster(
            ClusterAddress address,
            Connector connector,
            Clock clock,
            RedisOptions options,
            Function<Route, Coalescer> coalescers) {
        this.address = address;
        this.connector = connector;
        this.clock = clock;
        this.listener = options.listener();
        this.options = options.listener(new LinkListener());
        this.coalescers = coalescers;
        this.state = StoreState.down(FailureNames.DISCONNECTED, unread, clock.epochMicros());
        this.reading = new RepeatedTask(clock, SHORTEST_PAUSE, this::readShards);
        reading.soon();
    }

    @Override
    public int placeOf(String count) {
        return SlotHash.getSlot(count);
    }

    @Override
    public @Nullable EngineFailure unavailable(int slot) {
        ClusterNode owner = owners.get(slot);
        if (owner == null) {
            return unowned();
        }
        return owner.link.connection() != null || owner.link.isStarting() ? null : owner.link.unavailable();
    }

    /** Returns the reason why a request on a slot without an owner is undecided. */
    EngineFailure unowned() {
        return new EngineFailure(closed ? "closed" : shards == null ? FailureNames.DISCONNECTED : DOWN, false);
    }

    @Override
    public @Nullable RedisLink link(int slot) {
        ClusterNode owner = owners.get(slot);
        return owner == null ? null : owner.link;
    }

    @Override
    public Coalescer calls(int slot) {
        Coalescer known = calls.get(slot);
        if (known != null) {
            return known;
        }
        Coalescer made = coalescers.apply(new SlotRoute(this, slot, clock, options.listener()));
        Coalescer other = calls.compareAndExchange(slot, null, made);
        return other == null ? made : other;
    }

    @Nullable
    ClusterNode owner(int slot) {
        return owners.get(slot);
    }

    /** Records that a node has named another node as the owner of a slot. */
    ClusterNode moved(int slot, Endpoint to) {
        ClusterNode node = node(to);
        owners.set(slot, node);
        readSoon();
        return node;
    }

    /** Returns the node at an endpoint that the Cluster has named. */
    ClusterNode node(Endpoint endpoint) {
        ClusterNode node = nodes.get(endpoint);
        if (node == null) {
            synchronized (nodes) {
                node = nodes.computeIfAbsent(endpoint, this::linked);
            }
        }
        node.namedNanos = clock.nanoTime();
        return node;
    }

    private ClusterNode linked(Endpoint endpoint) {
        ClusterNode node =
                new ClusterNode(endpoint, new RedisLink(address.of(endpoint), connector, clock, options, true));
        if (closed) {
            node.link.close();
        }
        return node;
    }

    /** Schedules reading the owners soon, because a slot has moved or a link broke. */
    void readSoon() {
        reading.soon();
    }

    @Override
    public List<RedisLink> links() {
        return owning().stream().map(node -> node.link).toList();
    }

    @Override
    public CompletionStage<ServerLayout> layout() {
        return readTopology().thenApply(read -> {
            List<ClusterTopology.Primary> holding = read.primaries().stream()
                    .filter(primary -> !primary.slots().isEmpty())
                    .toList();
            return new ServerLayout(
                    holding.stream()
                            .map(primary -> address.of(primary.endpoint()))
                            .toList(),
                    Set.copyOf(holding));
        });
    }

    @Override
    public StoreState state() {
        return state;
    }

    @Override
    public List<String> findings() {
        return owning().stream()
                .flatMap(node -> node.link.server().findings().stream())
                .toList();
    }

    @Override
    public boolean isReady() {
        return !closed && state.available() && owning().stream().allMatch(node -> node.link.isReady());
    }

    @Override
    public CompletionStage<Void> ready() {
        return ready.copy();
    }

    @Override
    public void close() {
        closed = true;
        reading.close();
        synchronized (nodes) {
            nodes.values().forEach(node -> node.link.close());
        }
    }

    private CompletionStage<Duration> readShards() {
        return readTopology().handle((read, failure) -> {
            if (failure == null) {
                believe(read);
            } else {
                notRead(failure);
            }
            judge();
            return pause();
        });
    }

    private CompletionStage<ClusterTopology> readTopology() {
        List<RedisLink> linked = new ArrayList<>();
        nodes.values().forEach(node -> linked.add(node.link));
        Collections.shuffle(linked, ThreadLocalRandom.current());
        List<RedisURI> others = new ArrayList<>(address.seeds());
        Collections.shuffle(others, ThreadLocalRandom.current());
        return TopologyReader.read(connector, clock, address.isSecure(), linked, others);
    }

    private Duration pause() {
        StoreState now = state;
        boolean recent = clock.epochMicros() - now.sinceMicros() < RECENT.toNanos() / 1_000;
        long millis = now.available() ? 4_000 : recent ? 250 : 1_500;
        return Duration.ofMillis(ThreadLocalRandom.current().nextLong(millis / 2, millis * 3 / 2));
    }

    private void believe(ClusterTopology read) {
        boolean[] owned = new boolean[SlotHash.SLOT_COUNT];
        for (ClusterTopology.Primary primary : read.primaries()) {
            ClusterNode node = node(primary.endpoint());
            for (int i = 0; i + 1 < primary.slots().size(); i += 2) {
                for (int slot = primary.slots().get(i); slot <= primary.slots().get(i + 1); slot++) {
                    owners.set(slot, node);
                    owned[slot] = true;
                }
            }
        }
        for (int slot = 0; slot < owned.length; slot++) {
            if (!owned[slot]) {
                owners.set(slot, null);
            }
        }
        shards = read;
        forget();
    }

    private void notRead(Throwable failure) {
        String sentence = ServerWatch.explained(failure, address.seeds().get(0));
        if (shards == null && !sentence.equals(unread)) {
            unread = sentence;
            LOG.log(Level.WARNING, "no seed of the Redis Cluster reports the owners of the slots: {0}", sentence);
        }
    }

    private void forget() {
        Set<ClusterNode> owning = owning();
        long now = clock.nanoTime();
        synchronized (nodes) {
            nodes.values().removeIf(node -> {
                boolean gone = !owning.contains(node) && now - node.namedNanos > FORGOTTEN.toNanos();
                if (gone) {
                    node.link.close();
                }
                return gone;
            });
        }
    }

    private Set<ClusterNode> owning() {
        Set<ClusterNode> owning = new HashSet<>();
        ClusterNode last = null;
        for (int slot = 0; slot < SlotHash.SLOT_COUNT; slot++) {
            ClusterNode owner = owners.get(slot);
            if (owner != null && owner != last) {
                owning.add(owner);
                last = owner;
            }
        }
        return owning;
    }

    /** Updates the state of the Cluster as a whole. */
    private synchronized void judge() {
        StoreState now = judged();
        StoreState before = state;
        if (now.available() != before.available()
                || !now.reason().equals(before.reason())
                || !now.cause().equals(before.cause())) {
            state = now;
            listener.changed(now);
        }
        if (now.available()) {
            ready.complete(null);
        }
    }

    private StoreState judged() {
        long since = state.available() ? clock.epochMicros() : state.sinceMicros();
        ClusterTopology read = shards;
        if (read == null) {
            return StoreState.down(FailureNames.DISCONNECTED, unread, since);
        }
        if (!read.isOk()) {
            return StoreState.down(DOWN, "cluster_state is not ok, according to " + read.seenBy(), since);
        }
        for (int slot = 0; slot < SlotHash.SLOT_COUNT; slot++) {
            if (owners.get(slot) == null) {
                return StoreState.down(DOWN, "no node owns slot " + slot, since);
            }
        }
        for (ClusterNode node : owning()) {
            StoreState each = node.link.state();
            if (!each.available()) {
                return StoreState.down(each.reason(), node.endpoint + ": " + each.cause(), since);
            }
        }
        return StoreState.up(clock.epochMicros());
    }

    /** Listens to the links, and passes on the notifications about calls. */
    private final class LinkListener implements StoreListener {

        @Override
        public void called(String outcome, int decisions, long nanos) {
            listener.called(outcome, decisions, nanos);
        }

        @Override
        public void changed(StoreState link) {
            if (!link.available()) {
                readSoon();
            }
            judge();
        }
    }
}
