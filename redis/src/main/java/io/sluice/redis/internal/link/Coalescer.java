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
 * Sends what waits for the connection as one call. There is no timer: a question that finds the connection idle goes out at
 * once, and those that come while calls are under way go out together when one of them returns. So batches grow with the
 * load, and a lone caller loses nothing. Safe for use by many threads.
 *
 * <p><b>What it gives up.</b> No accuracy: questions are decided in the order in which they came, each all or nothing, each seeing
 * what those before it charged. They share their fate, though: if the answer to a call is lost, it is lost for all that were in it.
 */
public final class Coalescer {

    /**
     * With one call at a time, whoever just missed it would wait for a whole round trip before his own. With four he waits for a
     * quarter of one, and Redis and this process work at the same time. More would only make batches smaller.
     */
    public static final int MOST_UNDER_WAY = 4;

    /** More could not be answered before the deadlines of decisions; callers beyond it are undecided at once. */
    public static final int MOST_WAITING = 16_384;

    private static final System.Logger LOG = System.getLogger(Coalescer.class.getName());

    private final Queue<Operation> waiting = new ConcurrentLinkedQueue<>();

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
     * @param time the time to decide by, empty for the server's own
     * @param serverMicros hears the server's time with every reply
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

    /** Has Redis answer a question, or says that it did not. */
    public void ask(Operation question) {
        route.checkProgress();
        if (!question.countIn(route.load(), MOST_WAITING)) {
            question.fail(new EngineFailure(FailureNames.OVERLOAD, false));
        } else if (options.coalesces()) {
            waiting.add(question);
            sendWaiting();
        } else {
            send(batchOf(List.of(question)));
        }
    }

    /** One thread at a time sends, so that calls go out in the order of what is in them. */
    private void sendWaiting() {
        List<Operation> late = new ArrayList<>(0);
        while (mayCall() && sending.compareAndSet(false, true)) {
            while (mayCall()) {
                Batch batch = nextBatch(late);
                if (!batch.isEmpty()) {
                    send(batch);
                }
            }
            // Whoever came or landed until now has left it to this thread: it looks again.
            sending.set(false);
        }
        late.forEach(Operation::failLate);
    }

    private boolean mayCall() {
        return underWay.get() < MOST_UNDER_WAY && !waiting.isEmpty();
    }

    /** Leaves out who is past the deadline: it would be charged although nobody waits any more. */
    private Batch nextBatch(List<Operation> late) {
        Batch batch = batchOf(List.of());
        long now = clock.nanoTime();
        Operation next = waiting.peek();
        while (next != null && batch.hasRoomFor(next)) {
            waiting.remove();
            if (next.isLate(now)) {
                late.add(next);
            } else {
                batch.add(next);
            }
            next = waiting.peek();
        }
        return batch;
    }

    private void send(Batch batch) {
        underWay.incrementAndGet();
        route.send(batch, landing);
    }

    /**
     * Sends those of each count alone, those of several counts in parts. A lease and its count are never apart for long: until they
     * are together again there is none.
     */
    private void sendApart(Batch batch) {
        Map<String, List<Operation>> alone = new LinkedHashMap<>();
        for (Operation question : batch.questions()) {
            if (question instanceof Operation.LeaseUpdate) {
                question.fail(new EngineFailure(FailureNames.ERROR, false));
                continue;
            }
            for (Operation part : divider.alone(question)) {
                alone.computeIfAbsent(part.counts[0], count -> new ArrayList<>())
                        .add(part);
            }
        }
        underWay.decrementAndGet();
        alone.values().forEach(questions -> send(batchOf(questions)));
        sendWaiting();
    }

    private void landed(Batch batch, byte @Nullable [] reply, @Nullable EngineFailure why) {
        underWay.decrementAndGet();
        // First the next call, then those who wait for this one: Redis works while they are told.
        sendWaiting();
        if (reply == null) {
            fail(batch, why == null ? new EngineFailure(FailureNames.ERROR, true) : why);
            return;
        }
        try {
            answer(batch, new Reply(reply, options.recording()));
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "a reply of Redis could not be read", e);
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
