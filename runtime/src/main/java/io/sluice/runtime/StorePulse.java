package io.sluice.runtime;

import io.sluice.core.time.Clock;
import io.sluice.redis.store.StoreVitals;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Asks the store now and then how its servers are doing, and knows what they last said. Nobody waits for it. Safe for use by many
 * threads.
 */
public final class StorePulse implements AutoCloseable {

    private static final long PAUSE_NANOS = Duration.ofSeconds(3).toNanos();

    private final Store store;
    private final Clock clock;
    private volatile @Nullable StoreVitals last;
    private volatile boolean closed;

    public StorePulse(Store store, Clock clock) {
        this.store = store;
        this.clock = clock;
    }

    /** Asks for the first time, and goes on. */
    public void start() {
        store.vitals().whenComplete((vitals, failure) -> last = failure == null ? vitals : null);
        if (!closed) {
            clock.at(clock.nanoTime() + PAUSE_NANOS, this::start);
        }
    }

    /** What was last said; empty while the store is away. */
    public Optional<StoreVitals> last() {
        return store.isReady() ? Optional.ofNullable(last) : Optional.empty();
    }

    @Override
    public void close() {
        closed = true;
    }
}
