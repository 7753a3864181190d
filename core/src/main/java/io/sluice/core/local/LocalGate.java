package io.sluice.core.local;

import io.sluice.core.limit.Limit;
import io.sluice.core.spi.CountKey;
import io.sluice.core.spi.Verdict;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Direct access to one count; caches its cell. */
final class LocalGate extends LimitHandle implements Gate {

    private final String key;

    /** The cell that was found last. It may have left the table since; its word then shows this. */
    private Cell.@Nullable Bucket cell;

    public LocalGate(LocalCounts counts, Limit limit, String key) {
        super(counts, limit, counts.registered(limit));
        this.key = Objects.requireNonNull(key, "key");
    }

    @Override
    public boolean tryPass(long permits) {
        return tryPass(at(), key, permits);
    }

    @Override
    public Verdict pass(long permits) {
        return pass(at(), key, permits, 0);
    }

    private Cell.@Nullable Bucket at() {
        Cell.Bucket at = cell;
        return at != null ? at : find(key);
    }

    @Override
    Cell.@Nullable Bucket find(String key) {
        Cell.Bucket found = super.find(key);
        // A key uses an overflow cell only until there is room for its own cell.
        cell = found != null && found.key.equals(CountKey.bounded(key)) ? found : null;
        return found;
    }
}
