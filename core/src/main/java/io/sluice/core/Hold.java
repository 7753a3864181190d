package io.sluice.core;

import io.sluice.core.spi.Charge;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Permits of {@link io.sluice.core.limit.Concurrency} limits that are held until it is closed, or the decision that refused them. Safe for use by
 * many threads.
 *
 * <pre>{@code
 * Concurrency reports = Limit.named("reports").concurrency(5, Duration.ofMinutes(1));
 *
 * try (Hold hold = limiter.hold(reports, tenant, 1)) {
 *     if (!hold.allowed()) {
 *         return tooManyRequests(hold.decision().retryAfter());
 *     }
 *     return report();
 * }
 * }</pre>
 *
 * <p>A hold that was refused holds nothing, and closing it does nothing: so it belongs in a {@code try} whatever it says. Who
 * works for longer than the limit's {@link io.sluice.core.limit.Concurrency#ttl() ttl} calls {@link #renew} now and then.
 */
public final class Hold implements AutoCloseable {

    private final Decision decision;
    private final List<Charge> held;
    private final WaitScheduler waiting;
    private final HeldPermits permits;
    private final AtomicBoolean open;

    Hold(Decision decision, WaitScheduler waiting, HeldPermits permits) {
        this.decision = decision;
        this.held = decision.outcome().charges(decision.ask()).stream()
                .filter(Charge::isHeld)
                .toList();
        this.waiting = waiting;
        this.permits = permits;
        this.open = new AtomicBoolean(decision.allowed());
    }

    /** Whether the permits were granted. */
    public boolean allowed() {
        return decision.allowed();
    }

    /** What was decided, and why. */
    public Decision decision() {
        return decision;
    }

    /**
     * Lets the permits be held for their whole time to live from now on. The stage says whether all of them were still held:
     * false means that their time was over and others may have them, that the hold is closed or was refused, or that a failure
     * policy let the caller pass whom nobody counts. It completes exceptionally if the engine does not say within {@link
     * Limiter#DEFAULT_DEADLINE}.
     */
    public CompletionStage<Boolean> renew() {
        return open.get() ? permits.renew(held, Limiter.DEFAULT_DEADLINE) : CompletableFuture.completedFuture(false);
    }

    /** Gives the permits back; once, however often it is called. Does not wait until an engine elsewhere has them. */
    @Override
    public void close() {
        if (open.compareAndSet(true, false)) {
            waiting.giveBack(decision, held);
        }
    }

    @Override
    public String toString() {
        return (open.get() ? "open: " : "closed: ") + decision;
    }
}
