package io.sluice.spring.client;

import io.sluice.rules.evaluate.Ruling;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** A call's wait for its moment. Who cancels it leaves, and what was charged for it meanwhile is given back. */
final class Admission extends CompletableFuture<Ruling.Settled> {

    private final Consumer<Ruling.Settled> giveBack;
    private volatile Runnable leave = () -> {};

    Admission(Consumer<Ruling.Settled> giveBack) {
        this.giveBack = giveBack;
    }

    /** What is to be done if the caller leaves from now on, instead of what was before. */
    void onLeave(Runnable next) {
        leave = next;
        if (isCancelled()) {
            next.run();
        }
    }

    /** Gives back what an admission charged that nobody makes use of. */
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
