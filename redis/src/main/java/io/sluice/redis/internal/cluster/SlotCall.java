package io.sluice.redis.internal.cluster;

import io.sluice.core.spi.EngineFailure;
import io.sluice.core.time.Clock;
import io.sluice.redis.internal.link.BatchCall;
import io.sluice.redis.internal.wire.Batch;
import io.sluice.redis.internal.wire.FailureNames;
import io.sluice.redis.internal.wire.Operation;
import io.sluice.redis.store.StoreListener;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A call with a batch of one slot, to the node that owns the slot. It follows redirections. A node redirects before it charges, so nothing
 * is charged twice. While a slot migrates, a key that a node does not have is looked up at the target of the slot ({@code ASK}). If a batch
 * has keys on both nodes ({@code TRYAGAIN}), each of its counts is sent alone, because for a single count there is always a node that
 * decides.
 */
final class SlotCall implements BatchCall.Landing {

    /** Nodes with an outdated view may redirect back and forth. From this number of hops on, there is a pause before each hop. */
    private static final int HOPS_AT_ONCE = 4;

    private static final Duration PAUSE = Duration.ofMillis(2);

    /** The maximum duration of a call without a deadline. */
    private static final Duration LONGEST = Duration.ofSeconds(5);

    private final Cluster cluster;
    private final int slot;
    private final Clock clock;
    private final StoreListener listener;
    private final BatchCall.Landing landing;
    private final long beganNanos;
    private int hops;

    /** The node that the call was last sent to. */
    private @Nullable ClusterNode asked;

    SlotCall(Cluster cluster, int slot, Clock clock, StoreListener listener, BatchCall.Landing landing) {
        this.cluster = cluster;
        this.slot = slot;
        this.clock = clock;
        this.listener = listener;
        this.landing = landing;
        this.beganNanos = clock.nanoTime();
    }

    void send(Batch batch) {
        ClusterNode owner = cluster.owner(slot);
        if (owner == null) {
            cluster.readSoon();
            landing.landed(batch, null, cluster.unowned());
        } else {
            send(batch, owner, false);
        }
    }

    private void send(Batch batch, ClusterNode node, boolean asking) {
        asked = node;
        if (node.link.isStarting() && !isOver()) {
            later(batch, rest -> send(rest, node, asking));
        } else {
            BatchCall.send(batch, node.link, asking, clock, listener, this);
        }
    }

    @Override
    public void landed(Batch batch, byte @Nullable [] reply, @Nullable EngineFailure why) {
        if (why != null) {
            cluster.readSoon();
        }
        landing.landed(batch, reply, why);
    }

    @Override
    public boolean elsewhere(Batch batch, Throwable failure) {
        Redirection redirection = asked == null ? null : Redirection.of(failure, asked.endpoint);
        if (redirection == null) {
            return false;
        }
        if (redirection.kind() == Redirection.Kind.CLUSTERDOWN || isOver()) {
            landed(batch, null, FailureNames.undecided(failure));
            return true;
        }
        switch (redirection.kind()) {
            case MOVED -> {
                ClusterNode owner = cluster.moved(slot, redirection.to());
                hop(batch, rest -> send(rest, owner, false));
            }
            case ASK -> {
                ClusterNode next = cluster.node(redirection.to());
                hop(batch, rest -> send(rest, next, true));
            }
            default -> {
                if (batch.isOfOneCount()) {
                    later(batch, this::send);
                } else {
                    landing.apart(batch);
                }
            }
        }
        return true;
    }

    private void hop(Batch batch, Sending next) {
        if (++hops > HOPS_AT_ONCE) {
            later(batch, next);
        } else {
            next.send(timely(batch));
        }
    }

    private void later(Batch batch, Sending next) {
        clock.at(clock.nanoTime() + PAUSE.toNanos(), () -> {
            Batch rest = timely(batch);
            if (rest.isEmpty()) {
                landing.landed(rest, null, new EngineFailure(FailureNames.TIMEOUT, false));
            } else {
                next.send(rest);
            }
        });
    }

    /** Fails the operations whose callers no longer wait, and returns the batch without them. */
    private Batch timely(Batch batch) {
        List<Operation> late = batch.late(clock.nanoTime());
        if (late.isEmpty()) {
            return batch;
        }
        late.forEach(Operation::failLate);
        return batch.without(late);
    }

    private boolean isOver() {
        return clock.nanoTime() - beganNanos > LONGEST.toNanos();
    }

    private interface Sending {

        void send(Batch batch);
    }
}
