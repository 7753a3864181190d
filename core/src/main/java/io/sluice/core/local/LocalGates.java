package io.sluice.core.local;

import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Verdict;
import java.util.Objects;

/** Direct access to all counts of a limit. */
final class LocalGates extends LimitHandle implements Gates {

    public LocalGates(LocalCounts counts, Limit limit) {
        super(counts, limit, counts.registered(limit));
    }

    @Override
    public boolean tryPass(String key, long permits) {
        return tryPass(find(Objects.requireNonNull(key, "key")), key, permits);
    }

    @Override
    public Verdict pass(String key, long permits) {
        return pass(key, permits, 0);
    }

    @Override
    public Verdict pass(String key, long permits, long keep) {
        return pass(find(Objects.requireNonNull(key, "key")), key, permits, keep);
    }
}
