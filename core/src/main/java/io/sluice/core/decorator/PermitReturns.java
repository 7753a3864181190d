package io.sluice.core.decorator;

import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Engine;
import io.sluice.core.time.Clock;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Gives charges back. Held permits that the engine did not receive, because it was unavailable or did not answer, are given back again
 * until it has received them, or they have expired. Repetition is safe, because an engine identifies held permits by their holder: the
 * second time there are none left to give back. Other charges are given back once. Thread-safe.
 */
final class PermitReturns {

    private static final System.Logger LOG = System.getLogger(PermitReturns.class.getName());
    private static final Duration ANSWER_MAY_TAKE = Duration.ofSeconds(1);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

    /** The maximum number of returns that wait for another attempt. The permits of further returns are left to expire. */
    private static final int MOST_WAITING = 100_000;

    private final Engine engine;
    private final Clock clock;
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicLong lost = new AtomicLong();
    private volatile boolean closed;

    PermitReturns(Engine engine, Clock clock) {
        this.engine = engine;
        this.clock = clock;
    }

    /** Gives charges back, and returns the outcome of the first attempt. */
    CompletionStage<Boolean> giveBack(List<Charge> charges) {
        List<Charge> held = charges.stream().filter(Charge::isHeld).toList();
        CompletionStage<Boolean> first = attempt(charges);
        if (!held.isEmpty()) {
            long ttlMicros = 0;
            for (Charge charge : held) {
                ttlMicros = Math.max(ttlMicros, charge.limit().windowMicros());
            }
            follow(first, held, clock.nanoTime() + ttlMicros * 1_000, FIRST_PAUSE);
        }
        return first;
    }

    /** Makes no further attempts. */
    void close() {
        closed = true;
    }

    private CompletionStage<Boolean> attempt(List<Charge> charges) {
        try {
            return engine.giveBack(charges);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private void follow(CompletionStage<Boolean> attempt, List<Charge> held, long expiresNanos, Duration pause) {
        AtomicBoolean over = new AtomicBoolean();
        Clock.Alarm late = attempt.toCompletableFuture().isDone()
                ? () -> {}
                : clock.at(clock.nanoTime() + ANSWER_MAY_TAKE.toNanos(), () -> {
                    if (over.compareAndSet(false, true)) {
                        again(held, expiresNanos, pause);
                    }
                });
        attempt.whenComplete((done, failure) -> {
            late.cancel();
            if (over.compareAndSet(false, true) && failure != null) {
                again(held, expiresNanos, pause);
            }
        });
    }

    private void leftToExpire(int permits) {
        if (lost.getAndAdd(permits) == 0) {
            LOG.log(
                    Level.WARNING,
                    "{0} held permits wait to be given back to {1}; further ones are left to expire",
                    MOST_WAITING,
                    engine.name());
        }
    }

    private void again(List<Charge> held, long expiresNanos, Duration pause) {
        long at = clock.nanoTime() + pause.toNanos();
        if (closed || at - expiresNanos >= 0) {
            return;
        }
        if (waiting.get() >= MOST_WAITING) {
            leftToExpire(held.size());
            return;
        }
        waiting.incrementAndGet();
        Duration longer = pause.multipliedBy(2);
        clock.at(at, () -> {
            waiting.decrementAndGet();
            if (!closed) {
                follow(attempt(held), held, expiresNanos, longer.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : longer);
            }
        });
    }
}
