package io.sluice.node.gateway.chain;

import io.sluice.core.time.Clock;
import io.sluice.node.gateway.exchange.GatewayExchange;
import io.sluice.node.gateway.exchange.GatewayProblem;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Answers with 500 after a failure of the gateway or of a handler, and logs the failure, with a minimum time between two lines.
 * Thread-safe.
 */
final class FailureLog {

    private static final Logger LOG = LoggerFactory.getLogger(FailureLog.class);
    private static final Duration QUIET = Duration.ofSeconds(1);

    private final Clock clock;
    private final Level level;
    private final long quietNanos;
    private final AtomicLong lastNanos;
    private final AtomicLong untold = new AtomicLong();

    /** Creates a log with at most one line a second. */
    FailureLog(Clock clock, Level level) {
        this(clock, level, QUIET);
    }

    /** @param quiet the minimum time between two lines */
    FailureLog(Clock clock, Level level, Duration quiet) {
        this.clock = clock;
        this.level = level;
        this.quietNanos = quiet.toNanos();
        this.lastNanos = new AtomicLong(clock.nanoTime() - quietNanos);
    }

    /** Logs a failure and answers without the reason. */
    void failed(ChainRun run, String what, @Nullable Throwable failure) {
        told(run.exchange(), what, failure);
        GatewayProblem.answer(run.exchange(), 500, "the gateway failed to answer; see its log");
    }

    /** Logs a failure in a request that is answered anyway. */
    void told(GatewayExchange exchange, String what, @Nullable Throwable failure) {
        long now = clock.nanoTime();
        long last = lastNanos.get();
        if (now - last >= quietNanos && lastNanos.compareAndSet(last, now)) {
            LOG.atLevel(level)
                    .setCause(failure)
                    .log("{} failed, {} ({} more since the last line)", what, exchange.named(), untold.getAndSet(0));
        } else {
            untold.incrementAndGet();
        }
    }
}
