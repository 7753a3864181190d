package io.sluice.redis.internal.link;

import io.lettuce.core.api.StatefulRedisConnection;
import io.sluice.core.spi.EngineFailure;
import io.sluice.core.time.Clock;
import io.sluice.redis.internal.wire.Batch;
import io.sluice.redis.internal.wire.DecideLibrary;
import io.sluice.redis.internal.wire.FailureNames;
import io.sluice.redis.internal.wire.Operation;
import io.sluice.redis.store.StoreListener;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A batch on its way to Redis and back. It is sent once, and again only where Redis has said that it did nothing: it did not know
 * the function, or had no memory left for new keys.
 */
@SuppressWarnings("FutureReturnValueIgnored") // it reports through its callback
public final class BatchCall {

    /** A flush may come between a load and its call, hardly ever so often. */
    private static final int REPEATS = 5;

    /** Hears of the end of a call, once. */
    public interface Landing {

        /** Redis has answered; or has not, and {@code why} says why. */
        void landed(Batch batch, byte @Nullable [] reply, @Nullable EngineFailure why);

        /**
         * Redis did nothing, because of where the counts are. Whether that is taken care of, instead of landing; else it is a
         * failure like any other.
         */
        default boolean elsewhere(Batch batch, Throwable failure) {
            return false;
        }

        /** Redis did nothing, because the counts are in two places: each is to go alone, instead of landing. */
        default void apart(Batch batch) {
            landed(batch, null, new EngineFailure(FailureNames.ERROR, false));
        }
    }

    private final RedisLink link;
    private final Clock clock;
    private final StoreListener listener;
    private final Landing landing;
    private final StatefulRedisConnection<byte[], byte[]> redis;
    private final boolean asking;
    private final long sentNanos;
    private Batch batch;
    private String function = DecideLibrary.FUNCTION;
    private int repeatsLeft = REPEATS;
    private int loadsBefore;
    private @Nullable Throwable notLoaded;

    private BatchCall(
            Batch batch,
            RedisLink link,
            StatefulRedisConnection<byte[], byte[]> redis,
            boolean asking,
            Clock clock,
            StoreListener listener,
            Landing landing) {
        this.batch = batch;
        this.link = link;
        this.redis = redis;
        this.asking = asking;
        this.clock = clock;
        this.listener = listener;
        this.landing = landing;
        this.sentNanos = clock.nanoTime();
    }

    /**
     * Sends a batch; lands at once if it cannot be sent.
     *
     * @param asking whether to a node of a Cluster to which the slot is still on its way
     */
    public static void send(
            Batch batch, RedisLink link, boolean asking, Clock clock, StoreListener listener, Landing landing) {
        StatefulRedisConnection<byte[], byte[]> redis = link.connection();
        if (redis == null) {
            landing.landed(batch, null, link.unavailable());
            return;
        }
        link.sent();
        new BatchCall(batch, link, redis, asking, clock, listener, landing).send();
    }

    private void send() {
        loadsBefore = link.loadsOn(redis);
        byte[][] keys = batch.keys();
        byte[][] args = batch.args();
        CompletionStage<byte[]> called = asking
                ? DecideLibrary.callAsking(redis, function, keys, args)
                : DecideLibrary.call(redis, function, keys, args);
        called.whenComplete((reply, failure) -> {
            if (failure == null) {
                answered(reply);
            } else if (DecideLibrary.isUnknown(failure) && notLoaded == null && repeatsLeft > 0) {
                repeatsLeft--;
                loadAndSend();
            } else if (FailureNames.isOutOfMemory(failure) && function.equals(DecideLibrary.FUNCTION)) {
                function = DecideLibrary.EXISTING;
                send();
            } else if (landing.elsewhere(batch, failure)) {
                String reason = FailureNames.undecided(failure).reason();
                link.landed(redis, false, reason);
                tell(reason, clock.nanoTime());
            } else {
                failed(notLoaded == null ? failure : notLoaded);
            }
        });
    }

    /**
     * The call follows its load without waiting for it: what goes by one connection is done in its order. For the same reason one
     * load does for all calls that went before it.
     */
    private void loadAndSend() {
        if (link.loadsOn(redis) <= loadsBefore) {
            DecideLibrary.load(redis).whenComplete((loaded, failure) -> notLoaded = failure);
            link.loadSent(redis);
        }
        List<Operation> late = batch.late(clock.nanoTime());
        if (!late.isEmpty()) {
            batch = batch.without(late);
            late.forEach(Operation::failLate);
        }
        send();
    }

    private void answered(byte[] reply) {
        long now = clock.nanoTime();
        boolean late = batch.isMostlyLate(now);
        link.landed(redis, late, FailureNames.TIMEOUT);
        tell(late ? "late" : "ok", now);
        landing.landed(batch, reply, null);
    }

    private void failed(Throwable failure) {
        EngineFailure why = FailureNames.undecided(failure);
        if (FailureNames.isOfConnection(failure)) {
            // What waits must not go down the same way.
            link.drop(redis);
        }
        link.landed(redis, true, why.reason());
        tell(why.reason(), clock.nanoTime());
        landing.landed(batch, null, why);
    }

    private void tell(String outcome, long now) {
        listener.called(outcome, batch.questions().size(), now - sentNanos);
    }
}
