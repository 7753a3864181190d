package io.sluice.spring.web;

import io.sluice.core.time.Clock;
import io.sluice.rules.Evaluator;
import io.sluice.rules.Permit;
import org.jspecify.annotations.Nullable;

/**
 * What one request holds of concurrency limits until its answer has ended, renewed three times in its time to live. Safe for use by
 * many threads: what arrives after the end is given back at once, and everything is given back once.
 */
public final class Holding implements AutoCloseable {

    private static final int RENEWALS_IN_TTL = 3;

    private final Evaluator evaluator;
    private final Clock clock;
    private @Nullable Permit permit;
    private Clock.@Nullable Alarm renewal;
    private boolean closed;

    Holding(Evaluator evaluator, Clock clock) {
        this.evaluator = evaluator;
        this.clock = clock;
    }

    /** Holds this, too; at most one permit for each request. */
    void take(Permit taken) {
        synchronized (this) {
            if (!closed) {
                permit = taken;
                renewLater(taken);
                return;
            }
        }
        release(taken);
    }

    /** Whether there is anything to be given back. */
    public synchronized boolean isEmpty() {
        return permit == null;
    }

    @Override
    public void close() {
        Permit held;
        synchronized (this) {
            held = permit;
            permit = null;
            closed = true;
            if (renewal != null) {
                renewal.cancel();
            }
        }
        if (held != null) {
            release(held);
        }
    }

    private synchronized void renewLater(Permit held) {
        if (!closed) {
            long nanos = Math.max(1_000_000, held.ttl().toNanos() / RENEWALS_IN_TTL);
            renewal = clock.at(clock.nanoTime() + nanos, () -> renew(held));
        }
    }

    private void renew(Permit held) {
        renewLater(held);
        evaluator.renew(held).exceptionally(unheard -> false);
    }

    private void release(Permit held) {
        evaluator.release(held).exceptionally(unheard -> false);
    }
}
