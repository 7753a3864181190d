package io.sluice.core.internal;

import io.sluice.core.Gates;
import io.sluice.core.Limit;
import io.sluice.core.spi.Verdict;
import java.util.Objects;

/** The way to all counts of a limit. */
public final class Passages extends Lane implements Gates {

    public Passages(LocalCounts counts, Limit limit) {
        super(counts, limit);
    }

    @Override
    public boolean tryPass(String key, long permits) {
        return tryPass(find(Objects.requireNonNull(key, "key")), key, permits);
    }

    @Override
    public Verdict pass(String key, long permits) {
        return pass(find(Objects.requireNonNull(key, "key")), key, permits);
    }
}
