package io.sluice.runtime;

import io.sluice.core.Decision;
import io.sluice.core.DecisionListener;
import io.sluice.core.spi.FailurePolicy;
import io.sluice.core.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Whether the shared store decides, judged by its connection and by the decisions of the last five seconds: a store that
 * accepts connections and never answers is as good as away. Safe for use by many threads.
 */
public final class StoreWatch implements DecisionListener {

    private static final long RECENT_NANOS = Duration.ofSeconds(5).toNanos();

    private final @Nullable Store store;
    private final Clock clock;
    private final Map<FailurePolicy, AtomicLong> stoodInAtNanos = new EnumMap<>(FailurePolicy.class);
    private final AtomicLong degradedAtNanos;
    private volatile @Nullable String last;

    public StoreWatch(@Nullable Store store, Clock clock) {
        this.store = store;
        this.clock = clock;
        long longAgo = clock.nanoTime() - RECENT_NANOS;
        this.degradedAtNanos = new AtomicLong(longAgo);
        for (FailurePolicy policy : FailurePolicy.values()) {
            stoodInAtNanos.put(policy, new AtomicLong(longAgo));
        }
    }

    @Override
    public void decided(Decision decision, long elapsedNanos) {
        String reason = decision.degraded();
        if (reason != null) {
            long now = clock.nanoTime();
            degradedAtNanos.set(now);
            stoodInAt(decision.ask().onFailure()).set(now);
        }
        if (!Objects.equals(last, reason)) {
            last = reason;
        }
    }

    /** Whether there is a store at all. */
    public boolean exists() {
        return store != null;
    }

    /** Whether there is a store and it is not connected. */
    public boolean isAway() {
        return store != null && !store.isReady();
    }

    /** Why the store does not decide, though it should; null if it does, or if there is none. */
    public @Nullable String degraded() {
        if (store != null && !store.isReady()) {
            String reason = store.state().reason();
            return reason.isEmpty() ? "redis-disconnected" : reason;
        }
        return isRecent(degradedAtNanos) ? last : null;
    }

    /** Since when the store is not asked; empty while it is. */
    public Optional<Instant> awaySince() {
        if (store == null || store.isReady()) {
            return Optional.empty();
        }
        return Optional.of(Instant.EPOCH.plus(store.state().sinceMicros(), ChronoUnit.MICROS));
    }

    /** What is wrong with the store, though it decides, in sentences. */
    public List<String> findings() {
        return store == null ? List.of() : store.findings();
    }

    /** How many asks the store was spared, because it had refused them before. */
    public long remembered() {
        return store == null ? 0 : store.remembered();
    }

    /** How many asks the store was spared by the guards of rules. */
    public long guarded() {
        return store == null ? 0 : store.guarded();
    }

    /** How many permits are leased from the store and can be spent. */
    public long leased() {
        return store == null ? 0 : store.leased();
    }

    /** Whether this policy decided in the store's place a moment ago. */
    public boolean stoodIn(FailurePolicy policy) {
        return isRecent(stoodInAt(policy));
    }

    private boolean isRecent(AtomicLong nanos) {
        return clock.nanoTime() - nanos.get() < RECENT_NANOS;
    }

    private AtomicLong stoodInAt(FailurePolicy policy) {
        return Objects.requireNonNull(stoodInAtNanos.get(policy));
    }
}
