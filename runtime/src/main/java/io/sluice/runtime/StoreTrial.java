package io.sluice.runtime;

import io.sluice.core.Decision;
import io.sluice.core.Limiter;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Demand;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes trial decisions in a shared store at startup, because the first decisions take longer than a caller may wait. */
public final class StoreTrial {

    private static final Logger LOG = LoggerFactory.getLogger(StoreTrial.class);
    private static final Duration MAY_TAKE = Duration.ofSeconds(1);
    private static final int PROBES = 200;

    private StoreTrial() {}

    /**
     * Waits up to a second for the store, then lets it make trial decisions. If the store is unavailable, a warning is logged and
     * startup continues.
     */
    public static void run(Store store, Limiter shared) {
        try {
            store.ready().toCompletableFuture().get(MAY_TAKE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            LOG.warn("the shared store is unavailable; decisions now follow each rule's on_failure policy");
            return;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CompletionException(e);
        }
        // The probes have their own counts; half of them are refused.
        List<Demand> probes = List.of(
                Demand.of(Limit.named("sluice.probe").slidingLog(PROBES / 2, Duration.ofSeconds(1)), "", 1),
                Demand.of(Limit.named("sluice.probe").tokenBucket(Rate.perSecond(PROBES)), "", 1));
        for (int i = 0; i < PROBES; i++) {
            Decision decision;
            try {
                decision = shared.decideAsync(Ask.charging(probes).dueAt(shared.dueIn(MAY_TAKE)))
                        .toCompletableFuture()
                        .get(2 * MAY_TAKE.toMillis(), TimeUnit.MILLISECONDS);
            } catch (ExecutionException | TimeoutException e) {
                // A listener on the store's thread may wait for the very startup that waits here.
                LOG.warn("trial decisions take too long; the first decisions may be slow");
                return;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new CompletionException(e);
            }
            if (decision.degraded() != null) {
                LOG.warn(
                        "the shared store does not decide ({}); decisions now follow each rule's on_failure policy",
                        decision.degraded());
                return;
            }
        }
    }
}
