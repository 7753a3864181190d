package io.sluice.node.gateway.upstream;

import io.sluice.node.gateway.config.ServiceSettings.PassiveSettings;
import java.net.URI;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One server of a service: its requests in flight and its health. It survives configuration changes as long as its service keeps it.
 * Thread-safe.
 *
 * <p>Two sources judge its health. Health checks decide whether it is {@linkplain #checkedHealthy fit}. Requests decide whether it is in
 * use: after some failures in a row it is out for a while, then one request at a time tests whether it is back.
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

    /** Returns the number of requests in flight. */
    int open() {
        return open.get();
    }

    void begin() {
        open.incrementAndGet();
    }

    void end() {
        open.decrementAndGet();
    }

    /** Returns whether health checks find the server healthy. */
    boolean isFit() {
        return fit;
    }

    /** Records the result of health checks. */
    void checkedHealthy(boolean healthy, String why) {
        if (fit != healthy) {
            fit = healthy;
            if (healthy) {
                LOG.info("upstream is healthy again: {} of {}", origin, service);
            } else {
                LOG.warn("upstream is unhealthy, requests go to others: {} of {}: {}", origin, service, why);
            }
        }
    }

    /** Returns whether the server is left out because requests have failed. */
    boolean isOut() {
        return out;
    }

    /** Returns whether a request may now test whether the server is back. */
    boolean isDue(long nowNanos) {
        return nowNanos - outUntilNanos >= 0 && !trial.get();
    }

    /** Takes the only trial. Returns false if another request has it. */
    boolean startTrial() {
        return trial.compareAndSet(false, true);
    }

    void endTrial() {
        trial.set(false);
    }

    /**
     * Records a successful request.
     *
     * @param asTrial whether it was a trial; while the server is out, only trials count
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

    /** Records a failed request. */
    void failed(boolean asTrial, PassiveSettings passive, long nowNanos, String why) {
        if (out) {
            if (asTrial) {
                outUntilNanos = nowNanos + passive.outFor().toNanos();
            }
        } else if (passive.failures() > 0 && failures.incrementAndGet() >= passive.failures()) {
            leaveOut(passive, nowNanos, why);
        }
    }

    /** Brings the server back, because passive checks are switched off. */
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
