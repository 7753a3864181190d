package io.sluice.spring.client;

import io.sluice.rules.evaluate.Ruling;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * A call that waits until its limits admit it. Cancelling the future gives up the wait and returns any permits that were charged.
 */
final class Admission extends CompletableFuture<Ruling.Settled> {

    private final Consumer<Ruling.Settled> giveBack;
    private volatile Runnable leave = () -> {};

    Admission(Consumer<Ruling.Settled> giveBack) {
        this.giveBack = giveBack;
    }

    /** Sets the action to run if the caller cancels from now on. It replaces the previous action. */
    void onLeave(Runnable next) {
        leave = next;
        if (isCancelled()) {
            next.run();
        }
    }

    /** Returns the permits of an unused admission. */
    void giveBack(Ruling.Settled ruling) {
        if (ruling.allowed()) {
            giveBack.accept(ruling);
        }
    }

    void tell(Ruling.Settled ruling) {
        if (!complete(ruling)) {
            giveBack(ruling);
        }
    }

    @Override
    public boolean cancel(boolean mayInterrupt) {
        boolean cancelled = super.cancel(mayInterrupt);
        leave.run();
        return cancelled;
    }
}
