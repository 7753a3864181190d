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

/** Tries a shared store before the first caller does, because the first decisions take longer than one may. */
public final class StoreTrial {

    private static final Logger LOG = LoggerFactory.getLogger(StoreTrial.class);
    private static final Duration MAY_TAKE = Duration.ofSeconds(1);
    private static final int PROBES = 200;

    private StoreTrial() {}

    /** Waits for the store, a second at most, and lets it decide. A store that is away is told to the log, and no failure. */
    public static void run(Store store, Limiter shared) {
        try {
            store.ready().toCompletableFuture().get(MAY_TAKE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            LOG.warn("the shared store is away: starting degraded, on_failure decides until it is back");
            return;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CompletionException(e);
        }
        // On counts of their own; half of them are refused.
        List<Demand> probes = List.of(
                Demand.of(Limit.named("sluice.probe").slidingLog(PROBES / 2, Duration.ofSeconds(1)), "", 1),
                Demand.of(Limit.named("sluice.probe").tokenBucket(Rate.perSecond(PROBES)), "", 1));
        for (int i = 0; i < PROBES; i++) {
            Decision decision = shared.decide(Ask.charging(probes).dueAt(shared.dueIn(MAY_TAKE)));
            if (decision.degraded() != null) {
                LOG.warn("the shared store does not decide: {}; on_failure decides until it does", decision.degraded());
                return;
            }
        }
    }
}
