package io.sluice.spring.method;

import io.sluice.core.time.Clock;
import io.sluice.rules.Evaluator;
import io.sluice.rules.Permit;
import io.sluice.rules.Ruling;
import io.sluice.spring.internal.PermitScope;
import org.jspecify.annotations.Nullable;

/**
 * What a call holds of concurrency limits while it runs, given back when it is closed first. A call that never ends holds for as long as
 * somebody knows it. Safe for use by many threads.
 */
final class Held implements AutoCloseable {

    /** Of calls that hold nothing. */
    static final Held NOTHING = new Held(null);

    private final @Nullable PermitScope permits;

    private Held(@Nullable PermitScope permits) {
        this.permits = permits;
    }

    static Held of(Ruling.Settled ruling, Evaluator evaluator, Clock clock) {
        Permit permit = ruling.permit();
        if (permit == null) {
            return NOTHING;
        }
        PermitScope permits = new PermitScope(evaluator, clock);
        permits.hold(permit);
        return new Held(permits);
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
