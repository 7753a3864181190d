package io.sluice.redis.internal.link;

import io.sluice.core.spi.EngineFailure;
import io.sluice.core.time.Clock;
import io.sluice.redis.internal.wire.Batch;
import io.sluice.redis.internal.wire.FailureNames;
import io.sluice.redis.internal.wire.Operation;
import io.sluice.redis.internal.wire.Reply;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends the operations that wait for the connection as one call. There is no timer: an operation that finds the connection idle is sent
 * immediately, and operations that arrive during calls are sent together when one of these calls returns. So batches grow with the load,
 * and a single caller loses nothing. Thread-safe.
 *
 * <p><b>Trade-offs.</b> No accuracy is lost: operations are decided in their order of arrival, each all or nothing, and each sees the
 * charges of the operations before it. But if the answer to a call is lost, it is lost for every operation in that call.
 */
public final class Coalescer {

    /**
     * The maximum number of calls in flight. With one call at a time, an operation that just missed it would wait for a whole round trip.
     * With four calls it waits for a quarter of a round trip. More calls would only make the batches smaller.
     */
    public static final int MOST_UNDER_WAY = 4;

    /**
     * The maximum number of calls in flight while small calls would cost more than they save: two, so that Redis works on one call while
     * this process works on the other.
     */
    private static final int USUALLY_UNDER_WAY = 2;

    /** Up to this many unanswered operations are a light load: small calls then do no harm, and waiting would. */
    private static final int LIGHT_LOAD = 8;

    /** A batch of this many waiting operations need not grow, so it may be sent in a further call. */
    private static final int GOOD_BATCH = 64;

    /** The maximum number of waiting operations. More could not be answered before their deadlines; further operations fail immediately. */
    public static final int MOST_WAITING = 16_384;

    private static final System.Logger LOG = System.getLogger(Coalescer.class.getName());

    private final Queue<Operation> waiting = new ConcurrentLinkedQueue<>();

    /** The number of waiting operations; the queue itself would have to count them. */
    private final AtomicInteger waitingNow = new AtomicInteger();

    private final AtomicBoolean sending = new AtomicBoolean();
    private final AtomicInteger underWay = new AtomicInteger();
    private final Route route;
    private final Clock clock;
    private final Supplier<String> time;
    private final RedisOptions options;
    private final LongConsumer serverMicros;
    private final SlotDivider divider;
    private final BatchCall.Landing landing = new BatchCall.Landing() {
        @Override
        public void landed(Batch batch, byte @Nullable [] reply, @Nullable EngineFailure why) {
            Coalescer.this.landed(batch, reply, why);
        }

        @Override
        public void apart(Batch batch) {
            sendApart(batch);
        }
    };

    /**
     * Creates a coalescer for one route.
     *
     * @param time the time to decide by; empty for the server's own clock
     * @param serverMicros receives the server's time with every reply
     */
    public Coalescer(
            Route route,
            Clock clock,
            Supplier<String> time,
            RedisOptions options,
            LongConsumer serverMicros,
            SlotDivider divider) {
        this.route = route;
        this.clock = clock;
        this.time = time;
        this.options = options;
        this.serverMicros = serverMicros;
        this.divider = divider;
    }

    /** Sends an operation to Redis. Fails the operation if too many are already waiting. */
    public void ask(Operation question) {
        route.checkProgress();
        if (!question.countIn(route.load(), MOST_WAITING)) {
            question.fail(new EngineFailure(FailureNames.OVERLOAD, false));
        } else if (options.coalesces()) {
            waiting.add(question);
            waitingNow.incrementAndGet();
            sendWaiting();
        } else {
            send(batchOf(List.of(question)));
        }
    }

    /** Sends the waiting operations. Only one thread sends at a time, so calls are sent in the order of their operations. */
    private void sendWaiting() {
        List<Operation> late = new ArrayList<>(0);
        while (mayCall() && sending.compareAndSet(false, true)) {
            while (mayCall()) {
                Batch batch = nextBatch(late);
                if (!batch.isEmpty()) {
                    send(batch);
                }
            }
            // This thread has to handle operations that arrived and calls that landed meanwhile, so check again.
            sending.set(false);
        }
        late.forEach(Operation::failLate);
    }

    private boolean mayCall() {
        int calls = underWay.get();
        return calls < MOST_UNDER_WAY && !waiting.isEmpty() && (calls < USUALLY_UNDER_WAY || isWorthAnotherCall());
    }

    private boolean isWorthAnotherCall() {
        int load = route.load().get();
        return load <= LIGHT_LOAD || waitingNow.get() >= GOOD_BATCH;
    }

    /** Takes the next batch and leaves out operations past their deadline: they would be charged although their callers no longer wait. */
    private Batch nextBatch(List<Operation> late) {
        Batch batch = batchOf(List.of());
        long now = clock.nanoTime();
        int taken = 0;
        Operation next = waiting.peek();
        while (next != null && batch.hasRoomFor(next)) {
            waiting.remove();
            taken++;
            if (next.isLate(now)) {
                late.add(next);
            } else {
                batch.add(next);
            }
            next = waiting.peek();
        }
        waitingNow.addAndGet(-taken);
        return batch;
    }

    private void send(Batch batch) {
        underWay.incrementAndGet();
        route.send(batch, landing);
    }

    /**
     * Sends the operations of each count alone, and operations on several counts in parts. Lease operations fail instead: a lease and its
     * count are apart only while a slot moves, and no lease is granted until it has moved. A settlement waits until the slot has moved.
     */
    private void sendApart(Batch batch) {
        Map<String, List<Operation>> alone = new LinkedHashMap<>();
        for (Operation question : batch.questions()) {
            if (question instanceof Operation.LeaseUpdate) {
                question.fail(new EngineFailure(FailureNames.ERROR, false));
                continue;
            }
            for (Operation part : divider.alone(question)) {
                String place =
                        part instanceof Operation.SettlementUpdate settling ? settling.record(0) : part.counts[0];
                alone.computeIfAbsent(place, count -> new ArrayList<>()).add(part);
            }
        }
        underWay.decrementAndGet();
        alone.values().forEach(questions -> send(batchOf(questions)));
        sendWaiting();
    }

    private void landed(Batch batch, byte @Nullable [] reply, @Nullable EngineFailure why) {
        underWay.decrementAndGet();
        // Send the next call before completing this call: Redis works while the callers are notified.
        sendWaiting();
        if (reply == null) {
            fail(batch, why == null ? new EngineFailure(FailureNames.ERROR, true) : why);
            return;
        }
        try {
            answer(batch, new Reply(reply, options.recording()));
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "could not read a reply from Redis; its requests remain undecided", e);
            fail(batch, new EngineFailure(FailureNames.ERROR, true));
        }
    }

    private static void fail(Batch batch, EngineFailure why) {
        batch.questions().forEach(question -> question.fail(why));
    }

    private void answer(Batch batch, Reply reply) {
        serverMicros.accept(reply.micros());
        for (Operation question : batch.questions()) {
            if (reply.isFull()) {
                question.fail(new EngineFailure(FailureNames.OUT_OF_MEMORY, false));
            } else if (!reply.isOutside()) {
                question.answer(reply);
            } else if (question.writeAgain(reply.micros())) {
                ask(question);
            } else {
                question.fail(new EngineFailure(FailureNames.ERROR, false));
            }
        }
    }

    private Batch batchOf(List<Operation> questions) {
        Batch batch = new Batch(time.get(), options.recording() != null);
        questions.forEach(batch::add);
        return batch;
    }
}
