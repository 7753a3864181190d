package io.sluice.core;

import io.sluice.core.limit.Limit;
import io.sluice.core.local.Buckets;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.EngineDecision;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A decision on one token bucket of this process. Most callers only need to know whether they may proceed, so this holds just
 * the numbers from which the answer follows, in 48 bytes. The ask and the verdict are created when they are read.
 */
final class BucketDecision extends Decision {

    private final Buckets buckets;
    private final String key;
    private final long permits;
    private final long used;
    private final long atMicros;

    /** The outcome, created when it is first read. Two threads may each create one; both are equal. */
    private @Nullable EngineDecision outcome;

    /**
     * @param used the used amount before the decision, see {@link Buckets#take}
     */
    BucketDecision(Buckets buckets, String key, long permits, long used, long atMicros) {
        this.buckets = buckets;
        this.key = key;
        this.permits = permits;
        this.used = used;
        this.atMicros = atMicros;
    }

    @Override
    public boolean allowed() {
        return buckets.fits(used, permits);
    }

    @Override
    public Limit limit() {
        return buckets.limit();
    }

    @Override
    List<Charge> held() {
        return List.of();
    }

    @Override
    public Ask ask() {
        return Ask.charging(List.of(Demand.of(buckets.limit(), key, permits)));
    }

    @Override
    public EngineDecision outcome() {
        EngineDecision known = outcome;
        if (known == null) {
            known = new EngineDecision(allowed(), List.of(buckets.verdict(used, permits, atMicros)), atMicros, null);
            outcome = known;
        }
        return known;
    }
}
