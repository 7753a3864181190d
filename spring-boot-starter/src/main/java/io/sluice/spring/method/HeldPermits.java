package io.sluice.spring.method;

import io.sluice.core.time.Clock;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.evaluate.Permit;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.spring.internal.PermitScope;
import org.jspecify.annotations.Nullable;

/**
 * What a call holds of concurrency limits while it runs, given back when it is closed first. A call that never ends holds for as long as
 * somebody knows it. Safe for use by many threads.
 */
final class HeldPermits implements AutoCloseable {

    /** Of calls that hold nothing. */
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

    /** Ends it without giving back: whoever calls this gives back the whole ruling. */
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
