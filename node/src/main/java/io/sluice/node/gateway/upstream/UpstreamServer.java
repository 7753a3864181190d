package io.sluice.node.gateway.upstream;

import io.sluice.node.gateway.config.ServiceSettings.PassiveSettings;
import java.net.URI;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One server of a service: the requests under way to it, and what is known of its health. It outlives changes of the configuration,
 * as long as its service has it. Safe for use by many threads.
 *
 * <p>There are two opinions on its health. Checks say whether it is {@linkplain #checkedHealthy fit}. Requests say whether it is in:
 * after some failures in a row it is out for a time, then one request at a time finds out whether it is back.
 */
final class UpstreamServer {

    private static final Logger LOG = LoggerFactory.getLogger(UpstreamServer.class);

    private final String service;
    private final URI origin;
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicInteger failures = new AtomicInteger();
    private final AtomicBoolean trial = new AtomicBoolean();
    private volatile boolean fit = true;
    private volatile boolean out;

    /** Written before {@link #out}. */
    private volatile long outUntilNanos;

    UpstreamServer(String service, URI origin) {
        this.service = service;
        this.origin = origin;
    }

    URI origin() {
        return origin;
    }

    /** Requests under way. */
    int open() {
        return open.get();
    }

    void begin() {
        open.incrementAndGet();
    }

    void end() {
        open.decrementAndGet();
    }

    /** Whether checks find nothing wrong with it. */
    boolean isFit() {
        return fit;
    }

    /** What checks have found. */
    void checkedHealthy(boolean healthy, String why) {
        if (fit != healthy) {
            fit = healthy;
            if (healthy) {
                LOG.info("upstream is healthy again: {} of {}", origin, service);
            } else {
                LOG.warn("upstream is not healthy, requests go to others: {} of {}: {}", origin, service, why);
            }
        }
    }

    /** Whether requests have failed so often that it is left out. */
    boolean isOut() {
        return out;
    }

    /** Whether it may be found out now whether it is back. */
    boolean isDue(long nowNanos) {
        return nowNanos - outUntilNanos >= 0 && !trial.get();
    }

    /** Takes the one trial; false if somebody else has it. */
    boolean startTrial() {
        return trial.compareAndSet(false, true);
    }

    void endTrial() {
        trial.set(false);
    }

    /**
     * A request went well.
     *
     * @param asTrial while it is out, only those tell something of it
     */
    void succeeded(boolean asTrial) {
        if (out) {
            if (asTrial) {
                comeBack();
            }
        } else if (failures.get() != 0) {
            failures.set(0);
        }
    }

    /** A request failed. */
    void failed(boolean asTrial, PassiveSettings passive, long nowNanos, String why) {
        if (out) {
            if (asTrial) {
                outUntilNanos = nowNanos + passive.outFor().toNanos();
            }
        } else if (passive.failures() > 0 && failures.incrementAndGet() >= passive.failures()) {
            leaveOut(passive, nowNanos, why);
        }
    }

    /** Nobody leaves it out any more, because nobody is to. */
    void forgive() {
        if (out) {
            comeBack();
        }
    }

    private synchronized void leaveOut(PassiveSettings passive, long nowNanos, String why) {
        if (!out) {
            outUntilNanos = nowNanos + passive.outFor().toNanos();
            out = true;
            LOG.warn(
                    "upstream is left out for {} ms after {} failures in a row: {} of {}: {}",
                    passive.outFor().toMillis(),
                    passive.failures(),
                    origin,
                    service,
                    why);
        }
    }

    private synchronized void comeBack() {
        if (out) {
            failures.set(0);
            out = false;
            LOG.info("upstream is back: {} of {}", origin, service);
        }
    }
}
