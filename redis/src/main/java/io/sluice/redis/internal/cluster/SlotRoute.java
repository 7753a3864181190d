package io.sluice.redis.internal.cluster;

import io.sluice.core.time.Clock;
import io.sluice.redis.internal.link.BatchCall;
import io.sluice.redis.internal.link.Route;
import io.sluice.redis.internal.wire.Batch;
import io.sluice.redis.store.StoreListener;
import java.util.concurrent.atomic.AtomicInteger;

/** The route to the node that owns a slot. */
final class SlotRoute implements Route {

    private final Cluster cluster;
    private final int slot;
    private final Clock clock;
    private final StoreListener listener;

    SlotRoute(Cluster cluster, int slot, Clock clock, StoreListener listener) {
        this.cluster = cluster;
        this.slot = slot;
        this.clock = clock;
        this.listener = listener;
    }

    @Override
    public AtomicInteger load() {
        ClusterNode owner = cluster.owner(slot);
        return owner == null ? new AtomicInteger() : owner.load;
    }

    @Override
    public void checkProgress() {
        ClusterNode owner = cluster.owner(slot);
        if (owner != null) {
            owner.link.checkProgress();
        }
    }

    @Override
    public void send(Batch batch, BatchCall.Landing landing) {
        new SlotCall(cluster, slot, clock, listener, landing).send(batch);
    }
}
