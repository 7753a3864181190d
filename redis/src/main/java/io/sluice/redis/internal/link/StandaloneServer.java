package io.sluice.redis.internal.link;

import io.lettuce.core.RedisURI;
import io.sluice.core.spi.EngineFailure;
import io.sluice.core.time.Clock;
import io.sluice.redis.internal.wire.Batch;
import io.sluice.redis.store.StoreListener;
import io.sluice.redis.store.StoreState;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A single server, or the server that the Sentinels name, which holds all counts. */
public final class StandaloneServer implements Servers, Route {

    private final RedisLink link;
    private final Clock clock;
    private final StoreListener listener;
    private final AtomicInteger load = new AtomicInteger();
    private final Coalescer calls;

    public StandaloneServer(
            RedisURI uri,
            Connector connector,
            Clock clock,
            RedisOptions options,
            Function<Route, Coalescer> coalescers) {
        this.link = new RedisLink(uri, connector, clock, options);
        this.clock = clock;
        this.listener = options.listener();
        this.calls = coalescers.apply(this);
    }

    @Override
    public int placeOf(String count) {
        return 0;
    }

    @Override
    public @Nullable EngineFailure unavailable(int place) {
        return link.connection() == null ? link.unavailable() : null;
    }

    @Override
    public Coalescer calls(int place) {
        return calls;
    }

    @Override
    public AtomicInteger load() {
        return load;
    }

    @Override
    public void checkProgress() {
        link.checkProgress();
    }

    @Override
    public void send(Batch batch, BatchCall.Landing landing) {
        BatchCall.send(batch, link, false, clock, listener, landing);
    }

    @Override
    public RedisLink link(int place) {
        return link;
    }

    @Override
    public List<RedisLink> links() {
        return List.of(link);
    }

    @Override
    public CompletionStage<ServerLayout> layout() {
        return CompletableFuture.completedFuture(new ServerLayout(List.of(link.uri()), ""));
    }

    @Override
    public StoreState state() {
        return link.state();
    }

    @Override
    public List<String> findings() {
        return link.server().findings();
    }

    @Override
    public boolean isReady() {
        return link.isReady();
    }

    @Override
    public CompletionStage<Void> ready() {
        return link.ready();
    }

    @Override
    public void close() {
        link.close();
    }
}
