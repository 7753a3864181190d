package io.sluice.core;

import io.sluice.core.spi.Engine;
import io.sluice.core.spi.Settlement;
import io.sluice.core.spi.SettlementResult;
import io.sluice.core.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Settles reservations, with repeated attempts until the engine has answered or the time has passed. Repetition is safe, because each count
 * settles a reservation once. Thread-safe.
 */
final class SettlementAttempts {

    /** An attempt without an answer is followed by another attempt after this time. The first answer counts. */
    private static final long ANSWER_MAY_TAKE_NANOS = Duration.ofSeconds(1).toNanos();

    private static final long SHORTEST_PAUSE_NANOS = Duration.ofMillis(25).toNanos();
    private static final long LONGEST_PAUSE_NANOS = Duration.ofSeconds(1).toNanos();

    private final Engine engine;
    private final Clock clock;
    private final List<Settlement> settlements;
    private final long untilNanos;
    private final CompletableFuture<List<SettlementResult>> results = new CompletableFuture<>();

    /**
     * The pause before the next attempt. Only one attempt at a time changes it, because the next attempt starts after the last attempt was
     * given up.
     */
    private volatile long pauseNanos = SHORTEST_PAUSE_NANOS;

    private volatile @Nullable Throwable last;

    private SettlementAttempts(Engine engine, Clock clock, List<Settlement> settlements, long untilNanos) {
        this.engine = engine;
        this.clock = clock;
        this.settlements = settlements;
        this.untilNanos = untilNanos;
    }

    /** Starts to settle. The future fails if there is no answer by {@code untilNanos}; the effect of the attempts is then unknown. */
    static CompletableFuture<List<SettlementResult>> start(
            Engine engine, Clock clock, List<Settlement> settlements, long untilNanos) {
        SettlementAttempts attempts = new SettlementAttempts(engine, clock, List.copyOf(settlements), untilNanos);
        attempts.attempt();
        if (!attempts.results.isDone()) {
            Clock.Alarm over = clock.at(untilNanos, attempts::giveUp);
            CompletionStage<List<SettlementResult>> done = attempts.results;
            done.whenComplete((results, failure) -> over.cancel());
        }
        return attempts.results;
    }

    private void attempt() {
        if (results.isDone()) {
            return;
        }
        AtomicBoolean followed = new AtomicBoolean();
        CompletionStage<List<SettlementResult>> answer;
        try {
            answer = engine.settle(settlements);
        } catch (RuntimeException e) {
            answer = CompletableFuture.failedFuture(e);
        }
        answer.whenComplete((settled, failure) -> {
            if (failure == null) {
                results.complete(settled);
            } else if (followed.compareAndSet(false, true)) {
                failed(
                        failure instanceof CompletionException && failure.getCause() != null
                                ? failure.getCause()
                                : failure);
            }
        });
        if (!results.isDone() && !followed.get()) {
            Clock.Alarm silent = clock.at(clock.nanoTime() + ANSWER_MAY_TAKE_NANOS, () -> {
                if (followed.compareAndSet(false, true)) {
                    attempt();
                }
            });
            CompletionStage<List<SettlementResult>> done = results;
            done.whenComplete((settled, failure) -> silent.cancel());
        }
    }

    private void failed(Throwable failure) {
        last = failure;
        long now = clock.nanoTime();
        long pause = pauseNanos;
        pauseNanos = Math.min(LONGEST_PAUSE_NANOS, 2 * pause);
        boolean hopeless =
                failure instanceof UnsupportedOperationException || failure instanceof IllegalArgumentException;
        if (hopeless || untilNanos - now <= pause) {
            results.completeExceptionally(failure);
        } else {
            Clock.Alarm unused = clock.at(now + pause, this::attempt);
        }
    }

    private void giveUp() {
        Throwable why = last;
        results.completeExceptionally(why == null ? new TimeoutException(engine.name() + "-timeout") : why);
    }
}
