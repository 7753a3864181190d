package io.sluice.core.local;

import io.sluice.core.internal.Expect;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.TokenBucket;
import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.EngineFailure;
import io.sluice.core.spi.KeyMatch;
import io.sluice.core.spi.Settlement;
import io.sluice.core.spi.SettlementResult;
import io.sluice.core.time.Clock;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The in-process engine: keeps counts in memory and answers immediately. Exact. Thread-safe.
 *
 * <p>Time is the wall clock at the start plus the time that the monotonic clock has advanced since, so corrections of the wall
 * clock do not affect the counts.
 *
 * <p>The number of keys with their own count is bounded, to a million by default. Beyond that, new keys share the overflow counts of their
 * limit, sixteen per limit, until other counts have aged to nothing. Memory stays bounded, and the limits are still enforced.
 *
 * <p>Settlements are stored for as long as they can be repeated, up to the maximum number of keys. Further settlements are not made until
 * older settlements have aged out: their reservations stay charged.
 */
public final class LocalEngine implements Engine {

    /** The default number of keys that have their own count. */
    public static final long DEFAULT_MAX_KEYS = 1_000_000;

    private final LocalCounts counts;
    private final double stripedShare;
    private final @Nullable ReturnListener returns;
    private volatile boolean closed;

    /** A listener for events on charges after their decision. Called on the thread that causes the event; must be fast. */
    public interface ReturnListener {

        /** Called before a charge is given back. */
        void returning(Charge charge);

        /**
         * Called after a held permit was renewed.
         *
         * @param held whether it was still held
         */
        void renewed(Charge charge, boolean held);

        /**
         * Called after a reservation was settled, but not for repetitions and not if it stays as it is.
         *
         * @param change the permits that were charged in addition; negative if permits were given back
         * @param atMicros the engine's time at which the count was changed
         */
        default void settled(Settlement settlement, long change, long atMicros) {}
    }

    /** Creates an engine with a clock and the defaults of {@link #builder}. */
    public LocalEngine(Clock clock) {
        this(builder().clock(clock));
    }

    private LocalEngine(Builder options) {
        this(new LocalCounts(new SteadyTime(options.clock), options.maxKeys), options.stripedShare, options.returns);
    }

    private LocalEngine(LocalCounts counts, double stripedShare, @Nullable ReturnListener returns) {
        this.counts = counts;
        this.stripedShare = stripedShare;
        this.returns = returns;
    }

    /** Returns a builder. Its defaults are the system clock, a million keys and exact gates. */
    public static Builder builder() {
        return new Builder();
    }

    /** Creates an engine with another source of time, in microseconds since the epoch: a simulation, or a clock that may step back. */
    public static LocalEngine onTime(LongSupplier epochMicros) {
        return new LocalEngine(new LocalCounts(epochMicros, DEFAULT_MAX_KEYS), 0, null);
    }

    /**
     * Returns a gate for a limit and a key, for code that asks for them often. It is exact unless {@link Builder#stripedGates}
     * is set.
     */
    public Gate gate(Limit limit, String key) {
        Gate exact = new LocalGate(counts, limit, key);
        int processors = Runtime.getRuntime().availableProcessors();
        long outstanding = limit instanceof TokenBucket ? (long) (limit.capacity() * stripedShare) : 0;
        return Stripes.areOfUse(processors, outstanding) ? new StripedGate(exact, outstanding, processors) : exact;
    }

    /** Returns the gates of a limit, for code that asks for it often with different keys. */
    public Gates gates(Limit limit) {
        return new LocalGates(counts, limit);
    }

    /**
     * Returns direct access to the token buckets of a limit, for an answer that is not a {@link Gate}'s. Returns null if only
     * {@link #decide} can decide about this limit.
     */
    public @Nullable Buckets buckets(Limit limit) {
        return closed ? null : counts.registered(limit).buckets();
    }

    /**
     * Decides and charges demands on several token buckets, as {@link #decide} does, if it is simple. Otherwise charges none and returns
     * null.
     *
     * @param demands the demands, as an immutable list; if two of them are for the same count, this is not simple
     */
    public @Nullable EngineDecision tryDecide(List<Demand> demands) {
        return closed ? null : counts.tryDecide(demands);
    }

    @Override
    public String name() {
        return "local";
    }

    @Override
    public Answer decide(Ask ask) {
        return closed ? new EngineFailure("closed", false) : counts.decide(ask);
    }

    @Override
    public CompletionStage<Boolean> giveBack(List<Charge> charges) {
        return CompletableFuture.completedFuture(giveBackNow(charges));
    }

    /** Gives charges back. Returns whether a held permit among them was still held. */
    public boolean giveBackNow(List<Charge> charges) {
        boolean held = false;
        for (Charge charge : charges) {
            if (returns != null) {
                returns.returning(charge);
            }
            held |= counts.giveBack(charge);
        }
        return held;
    }

    @Override
    public CompletionStage<Boolean> renew(Charge charge) {
        return CompletableFuture.completedFuture(renewNow(charge));
    }

    public boolean renewNow(Charge charge) {
        boolean held = counts.renew(charge);
        if (returns != null) {
            returns.renewed(charge, held);
        }
        return held;
    }

    @Override
    public CompletionStage<List<SettlementResult>> settle(List<Settlement> settlements) {
        return CompletableFuture.completedFuture(settleNow(settlements));
    }

    /** Settles reservations, each once, and returns the results in the same order. */
    public List<SettlementResult> settleNow(List<Settlement> settlements) {
        return settlements.stream()
                .map(settlement -> counts.settle(settlement, returns))
                .toList();
    }

    @Override
    public long forget(KeyMatch match) {
        return counts.forget(match);
    }

    /** Returns the number of counts in memory. */
    public long keys() {
        return counts.size();
    }

    /** Returns the number of settlements that are stored because they can still be repeated. */
    public long settlements() {
        return counts.settlements();
    }

    /** Returns the number of decisions that were made on overflow counts because there was no room for more keys. */
    public long overflowed() {
        return counts.overflowed();
    }

    @Override
    public void close() {
        closed = true;
    }

    /** Options of an engine. {@link LocalEngine#builder} lists the defaults. */
    public static final class Builder {

        private Clock clock = Clock.system();
        private long maxKeys = DEFAULT_MAX_KEYS;
        private double stripedShare;
        private @Nullable ReturnListener returns;

        private Builder() {}

        /** Sets the clock. */
        public Builder clock(Clock clock) {
            this.clock = clock;
            return this;
        }

        /** Sets the number of keys that have their own count, 1 to 2,147,483,647. */
        public Builder maxKeys(long maxKeys) {
            this.maxKeys = Expect.range("maxKeys", maxKeys, 1, Integer.MAX_VALUE);
            return this;
        }

        /**
         * Speeds up the {@linkplain LocalEngine#gate gates} of token buckets when many threads ask for the same key at the same
         * time. Each gate takes permits from its bucket in small batches, which threads spend without contention.
         *
         * <p><b>Accuracy.</b> In any span of t, a gate lets at most {@code burst + rate × t} pass, plus the permits that were outstanding
         * at the start of the span: taken before and not spent yet, at most {@code share × burst}. They were charged when they were taken,
         * so no permit is granted twice and the long-term rate is exact. A request is refused only if neither the bucket nor any stripe has
         * the permits for it. A batch that another thread is just taking from the bucket is in neither.
         *
         * <p>Two gates of one key each have their own batches. Limits that are too small to share ({@code share × burst} is less than two
         * permits for each of twice as many stripes as there are processors) are decided one by one, exactly. So are all asks outside of a
         * gate.
         *
         * @param share the share of the burst, above 0 and at most 1, that a gate may take in advance
         */
        public Builder stripedGates(double share) {
            this.stripedShare = Expect.share(share);
            return this;
        }

        /** Sets the listener for charges that are given back, renewed or settled. Gates do not notify it. */
        public Builder returnListener(ReturnListener listener) {
            this.returns = listener;
            return this;
        }

        public LocalEngine build() {
            return new LocalEngine(this);
        }
    }
}
