package io.sluice.redis;

import io.sluice.core.time.Clock;
import java.util.concurrent.atomic.AtomicInteger;

/** The way to whichever node owns a slot. */
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
    public void send(Batch batch, Call.Landing landing) {
        new SlotCall(cluster, slot, clock, listener, landing).send(batch);
    }
}
