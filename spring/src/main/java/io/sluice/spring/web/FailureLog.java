package io.sluice.spring.web;

import io.sluice.core.time.Clock;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** Logs failures, at most once per second. Thread-safe. */
final class FailureLog {

    private static final Log LOG = LogFactory.getLog(FailureLog.class);
    private static final long QUIET_NANOS = 1_000_000_000L;

    private final Clock clock;
    private final AtomicLong lastNanos;
    private final AtomicLong untold = new AtomicLong();

    FailureLog(Clock clock) {
        this.clock = clock;
        this.lastNanos = new AtomicLong(clock.nanoTime() - QUIET_NANOS);
    }

    void told(String what, @Nullable Throwable failure) {
        long now = clock.nanoTime();
        long last = lastNanos.get();
        if (now - last >= QUIET_NANOS && lastNanos.compareAndSet(last, now)) {
            LOG.error(what + " failed (" + untold.getAndSet(0) + " more since the last line)", failure);
        } else {
            untold.incrementAndGet();
        }
    }
}
