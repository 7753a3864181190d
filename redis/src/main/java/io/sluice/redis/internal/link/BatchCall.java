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
 * One call to Redis that carries a batch. The call is sent once. It is repeated only if Redis has reported that it did nothing, because the
 * function was unknown or because it had no memory left for new keys.
 */
@SuppressWarnings("FutureReturnValueIgnored") // it reports through its callback
public final class BatchCall {

    /** The maximum number of repetitions. A flush may come between a load and its call, but this many in a row are very unlikely. */
    private static final int REPEATS = 5;

    /** Receives the end of a call, once. */
    public interface Landing {

        /** Called when Redis has answered, or with the reason {@code why} if it has not. */
        void landed(Batch batch, byte @Nullable [] reply, @Nullable EngineFailure why);

        /**
         * Called if Redis did nothing because the counts are stored elsewhere. Returns whether this method has taken over the batch, in
         * which case {@code landed} is not called. Otherwise the call counts as failed.
         */
        default boolean elsewhere(Batch batch, Throwable failure) {
            return false;
        }

        /**
         * Called if Redis did nothing because the counts are in two places. Each count has to be sent alone, and {@code landed} is not
         * called.
         */
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

    /** The time at which the call was sent, by the {@link ReadingTime}. */
    private final long sentReadingNanos;

    private Batch batch;
    private boolean creating = true;
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
            Landing landing,
            long sentReadingNanos) {
        this.batch = batch;
        this.link = link;
        this.redis = redis;
        this.asking = asking;
        this.clock = clock;
        this.listener = listener;
        this.landing = landing;
        this.sentNanos = clock.nanoTime();
        this.sentReadingNanos = sentReadingNanos;
    }

    /**
     * Sends a batch. The landing is called immediately if the batch cannot be sent.
     *
     * @param asking whether the call goes to a Cluster node that is still importing the slot
     */
    public static void send(
            Batch batch, RedisLink link, boolean asking, Clock clock, StoreListener listener, Landing landing) {
        StatefulRedisConnection<byte[], byte[]> redis = link.connection();
        if (redis == null) {
            landing.landed(batch, null, link.unavailable());
            return;
        }
        new BatchCall(batch, link, redis, asking, clock, listener, landing, link.sent()).send();
    }

    private void send() {
        loadsBefore = link.loadsOn(redis);
        boolean one = creating && batch.isOneCharge();
        String function = one ? DecideLibrary.ONE : creating ? DecideLibrary.FUNCTION : DecideLibrary.EXISTING;
        byte[][] keys = batch.keys();
        byte[][] args = one ? batch.argsOfOne() : batch.args();
        CompletionStage<byte[]> called = asking
                ? DecideLibrary.callAsking(redis, function, keys, args)
                : DecideLibrary.call(redis, function, keys, args);
        called.whenComplete((reply, failure) -> {
            if (failure == null) {
                answered(reply);
            } else if (DecideLibrary.isUnknown(failure) && notLoaded == null && repeatsLeft > 0) {
                repeatsLeft--;
                loadAndSend();
            } else if (FailureNames.isOutOfMemory(failure) && creating) {
                creating = false;
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
     * Sends the load and then the call, without waiting in between: Redis runs the commands of one connection in order. For the
     * same reason, one load serves all calls that were sent before it.
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
        link.landed(redis, late && isSlow(), FailureNames.TIMEOUT);
        tell(late ? "late" : "ok", now);
        landing.landed(batch, reply, null);
    }

    /**
     * Returns whether Redis caused the delay: most callers would have given up even if this process had read the answer as soon as it
     * arrived, and not because they had waited too long before the call was sent.
     */
    private boolean isSlow() {
        long took = link.readingNanos() - sentReadingNanos;
        return took > link.quickNanos() && batch.isMostlyLate(sentNanos + took);
    }

    private void failed(Throwable failure) {
        EngineFailure why = FailureNames.undecided(failure);
        if (FailureNames.isOfConnection(failure)) {
            // Do not send the waiting requests over the same broken connection.
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
