package io.sluice.node.gateway.chain;

import io.sluice.core.time.Clock;
import io.sluice.node.gateway.exchange.GatewayProblem;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers 500 for what is our own fault, or that of a handler, and tells the log, once a second at most. Safe for many threads. */
final class FailureLog {

    private static final Logger LOG = LoggerFactory.getLogger(FailureLog.class);
    private static final long QUIET_NANOS = 1_000_000_000L;

    private final Clock clock;
    private final AtomicLong lastNanos;
    private final AtomicLong untold = new AtomicLong();

    FailureLog(Clock clock) {
        this.clock = clock;
        this.lastNanos = new AtomicLong(clock.nanoTime() - QUIET_NANOS);
    }

    /** The caller hears nothing of why. */
    void failed(ChainRun run, String what, @Nullable Throwable failure) {
        told(what, failure);
        GatewayProblem.answer(run.exchange(), 500, "the gateway failed to handle the request; its log says why");
    }

    void told(String what, @Nullable Throwable failure) {
        long now = clock.nanoTime();
        long last = lastNanos.get();
        if (now - last >= QUIET_NANOS && lastNanos.compareAndSet(last, now)) {
            LOG.error("{} failed ({} more since the last line)", what, untold.getAndSet(0), failure);
        } else {
            untold.incrementAndGet();
        }
    }
}
