package io.sluice.replay.run;

import io.sluice.rules.evaluate.EarlyRuling;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.evaluate.Permit;
import java.util.Comparator;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * The requests that are in progress: when a request ends, its permits are released and its answer is counted at that time. Not thread-safe.
 *
 * <p>At most {@value #MOST} requests are kept. A request beyond that ends immediately.
 */
final class Endings {

    static final int MOST = 1_000_000;

    private final PriorityQueue<Ending> ahead =
            new PriorityQueue<>(Comparator.comparingLong(Ending::atMicros).thenComparingLong(Ending::number));
    private final Evaluator evaluator;
    private final LogClock clock;
    private long number;

    private record Ending(
            long atMicros,
            long number,
            @Nullable Permit permit,
            @Nullable EarlyRuling early,
            int status) {}

    Endings(Evaluator evaluator, LogClock clock) {
        this.evaluator = evaluator;
        this.clock = clock;
    }

    void add(long atMicros, @Nullable Permit permit, @Nullable EarlyRuling early, int status) {
        Ending ending = new Ending(atMicros, number++, permit, early, status);
        if (ahead.size() < MOST && atMicros > clock.epochMicros()) {
            ahead.add(ending);
        } else {
            end(ending);
        }
    }

    /** Ends all requests that end until this time, each at its own time. */
    void until(long micros) {
        for (Ending next = ahead.peek(); next != null && next.atMicros <= micros; next = ahead.peek()) {
            ahead.poll();
            clock.moveTo(next.atMicros);
            end(next);
        }
    }

    private void end(Ending ending) {
        if (ending.permit != null) {
            evaluator.release(ending.permit).toCompletableFuture().join();
        }
        if (ending.early != null) {
            evaluator
                    .answered(ending.early, ending.status)
                    .toCompletableFuture()
                    .join();
        }
    }
}
