package io.sluice.spring.method;

import io.sluice.core.time.Clock;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.evaluate.Permit;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.spring.internal.PermitScope;
import org.jspecify.annotations.Nullable;

/**
 * The concurrency permits that a call holds while it runs. The first {@link #close} releases them. A call that never ends holds
 * its permits as long as this object is reachable. Thread-safe.
 */
final class HeldPermits implements AutoCloseable {

    /** For calls that hold no permits. */
    static final HeldPermits NOTHING = new HeldPermits(null);

    private final @Nullable PermitScope permits;

    private HeldPermits(@Nullable PermitScope permits) {
        this.permits = permits;
    }

    static HeldPermits of(Ruling.Settled ruling, Evaluator evaluator, Clock clock) {
        Permit permit = ruling.permit();
        if (permit == null) {
            return NOTHING;
        }
        PermitScope permits = new PermitScope(evaluator, clock);
        permits.hold(permit);
        return new HeldPermits(permits);
    }

    /** Stops renewing without releasing the permits. The caller returns the whole ruling instead. */
    void forget() {
        if (permits != null) {
            permits.forget();
        }
    }

    @Override
    public void close() {
        if (permits != null) {
            permits.close();
        }
    }
}
