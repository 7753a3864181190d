package io.sluice.core;

import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Engine;
import io.sluice.core.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;

/** Renews and releases held permits within a time limit. Thread-safe. */
final class HeldPermits {

    private final Engine engine;
    private final WaitScheduler waiting;
    private final Clock clock;

    HeldPermits(Engine engine, WaitScheduler waiting, Clock clock) {
        this.engine = engine;
        this.waiting = waiting;
        this.clock = clock;
    }

    /** Renews all permits and returns whether all of them were still held. */
    CompletionStage<Boolean> renew(List<Charge> held, Duration atMost) {
        CompletableFuture<Boolean> all = CompletableFuture.completedFuture(true);
        for (Charge charge : held) {
            all = all.thenCombine(renewed(charge, atMost), Boolean::logicalAnd);
        }
        return all;
    }

    /** Releases all permits and returns whether any of them was still held. */
    CompletionStage<Boolean> release(List<Charge> held, Duration atMost) {
        return within(waiting.giveBack(held), atMost);
    }

    private CompletableFuture<Boolean> renewed(Charge charge, Duration atMost) {
        return within(engine.renew(charge), atMost);
    }

    private <T> CompletableFuture<T> within(CompletionStage<T> stage, Duration atMost) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        stage.whenComplete((value, failure) -> {
            if (failure == null) {
                answer.complete(value);
            } else {
                answer.completeExceptionally(failure);
            }
        });
        if (answer.isDone()) {
            return answer;
        }
        Clock.Alarm alarm = clock.at(
                clock.nanoTime() + atMost.toNanos(),
                () -> answer.completeExceptionally(new TimeoutException(engine.name() + "-timeout")));
        return answer.whenComplete((value, failure) -> alarm.cancel());
    }
}
