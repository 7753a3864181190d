package io.sluice.core;

import io.sluice.core.spi.Charge;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Permits of {@link io.sluice.core.limit.Concurrency} limits that are held until this is closed, or the decision that refused
 * them. Thread-safe.
 *
 * <pre>{@code
 * Concurrency reports = Limit.named("reports").concurrency(5, Duration.ofMinutes(1));
 *
 * try (Hold hold = limiter.hold(reports, tenant, 1).orElseThrow()) {
 *     return report();
 * }
 * }</pre>
 *
 * <p>A refused hold has no permits, and closing it has no effect, so you can always put it in a {@code try}. A caller that
 * works for longer than the limit's {@link io.sluice.core.limit.Concurrency#ttl() ttl} must call {@link #renew} from time to
 * time.
 */
public final class Hold implements AutoCloseable {

    private final Decision decision;
    private final List<Charge> held;
    private final WaitScheduler waiting;
    private final HeldPermits permits;
    private final AtomicBoolean open;

    Hold(Decision decision, WaitScheduler waiting, HeldPermits permits) {
        this.decision = decision;
        this.held = decision.held();
        this.waiting = waiting;
        this.permits = permits;
        this.open = new AtomicBoolean(decision.allowed());
    }

    /** Returns whether the permits were granted. */
    public boolean allowed() {
        return decision.allowed();
    }

    /**
     * Returns this hold if the permits were granted.
     *
     * @throws LimitExceededException if they were refused
     */
    public Hold orElseThrow() {
        if (!allowed()) {
            throw new LimitExceededException(decision);
        }
        return this;
    }

    /** Returns the decision and its reason. */
    public Decision decision() {
        return decision;
    }

    /**
     * Extends the hold by a full time to live from now. The stage completes with true if all permits were still held. It
     * completes with false if they had expired and other callers may have them, if the hold is closed or was refused, or if a
     * failure policy let the caller pass without counting it. It completes exceptionally if the engine does not answer within
     * {@link Limiter#DEFAULT_DEADLINE}.
     */
    public CompletionStage<Boolean> renew() {
        return open.get() ? permits.renew(held, Limiter.DEFAULT_DEADLINE) : CompletableFuture.completedFuture(false);
    }

    /** Gives the permits back, without waiting until a remote engine has received them. Further calls have no effect. */
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
