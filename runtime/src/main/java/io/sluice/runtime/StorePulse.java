package io.sluice.runtime;

import io.sluice.core.time.Clock;
import io.sluice.redis.store.StoreVitals;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Polls the figures of the store's servers and remembers the last ones. Never blocks. Thread-safe.
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

    /** Starts polling. */
    public void start() {
        // The store may also be closed by now.
        if (closed) {
            return;
        }
        store.vitals().whenComplete((vitals, failure) -> last = failure == null ? vitals : null);
        clock.at(clock.nanoTime() + PAUSE_NANOS, this::start);
    }

    /** Returns the last figures; empty while the store is unavailable. */
    public Optional<StoreVitals> last() {
        return store.isReady() ? Optional.ofNullable(last) : Optional.empty();
    }

    @Override
    public void close() {
        closed = true;
    }
}
