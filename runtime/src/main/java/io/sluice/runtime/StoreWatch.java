package io.sluice.runtime;

import io.sluice.core.Decision;
import io.sluice.core.DecisionListener;
import io.sluice.core.spi.FailurePolicy;
import io.sluice.core.time.Clock;
import io.sluice.redis.store.StoreListener;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.runtime.fleet.StoreHealth;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Determines whether the shared store decides, from its connection and from the decisions of the last five seconds. A store that
 * accepts connections but never answers counts as unavailable. Thread-safe.
 */
public final class StoreWatch implements DecisionListener {

    private static final long RECENT_NANOS = Duration.ofSeconds(5).toNanos();

    private final @Nullable Store store;
    private final Clock clock;
    private final StoreCalls calls;
    private final Map<FailurePolicy, AtomicLong> stoodInAtNanos = new EnumMap<>(FailurePolicy.class);
    private final AtomicLong degradedAtNanos;
    private final LongAdder shed = new LongAdder();
    private volatile @Nullable String last;

    public StoreWatch(@Nullable Store store, Clock clock) {
        this(store, clock, new StoreCalls(clock, StoreListener.NONE));
    }

    /**
     * Creates a watch.
     *
     * @param calls the measurement of the calls to the store
     */
    public StoreWatch(@Nullable Store store, Clock clock, StoreCalls calls) {
        this.store = store;
        this.clock = clock;
        this.calls = calls;
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
            if (reason.equals(Evaluator.OVERLOAD)) {
                shed.increment();
            }
        }
        if (!Objects.equals(last, reason)) {
            last = reason;
        }
    }

    /** Returns whether there is a store. */
    public boolean exists() {
        return store != null;
    }

    /** Returns whether there is a store that is not connected. */
    public boolean isAway() {
        return store != null && !store.isReady();
    }

    /** Returns why the store does not decide although it should; null if it does, or if there is none. */
    public @Nullable String degraded() {
        if (store != null && !store.isReady()) {
            String reason = store.state().reason();
            return reason.isEmpty() ? "redis-disconnected" : reason;
        }
        return isRecent(degradedAtNanos) ? last : null;
    }

    /** Returns since when the store is unavailable; empty while it is available. */
    public Optional<Instant> awaySince() {
        if (store == null || store.isReady()) {
            return Optional.empty();
        }
        return Optional.of(Instant.EPOCH.plus(store.state().sinceMicros(), ChronoUnit.MICROS));
    }

    /** Returns the health of the store during the last ten seconds. */
    public StoreHealth lately() {
        return store == null ? StoreHealth.ofMemory(clock.epochMicros() / 1_000) : calls.lately();
    }

    /** Returns the store's problems that do not stop decisions, as sentences. */
    public List<String> findings() {
        return store == null ? List.of() : store.findings();
    }

    /** Returns why the store is unavailable, as a sentence; empty while it is available. */
    public Optional<String> outage() {
        if (store == null || store.isReady() || store.state().cause().isEmpty()) {
            return Optional.empty();
        }
        return Optional.of("Redis is unavailable: " + store.state().cause());
    }

    /** Returns how many requests were refused from memory, because the store had refused them before. */
    public long remembered() {
        return store == null ? 0 : store.remembered();
    }

    /** Returns how many requests the guards of rules kept from the store. */
    public long guarded() {
        return store == null ? 0 : store.guarded();
    }

    /** Returns how many decisions were made without the store because too many others were waiting for it. */
    public long shed() {
        return shed.sum();
    }

    /** Returns how many leased permits can still be spent. */
    public long leased() {
        return store == null ? 0 : store.leased();
    }

    /** Returns whether this policy decided instead of the store within the last five seconds. */
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
