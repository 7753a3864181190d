package io.sluice.core.local;

import io.sluice.core.internal.Expect;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.TokenBucket;
import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.EngineFailure;
import io.sluice.core.time.Clock;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;

/**
 * The engine of one process: counts in memory, answers at once. Exact. Safe for use by many threads.
 *
 * <p>Time is the wall clock at the start plus what the monotonic clock has moved since, so corrections of the wall clock
 * change no count.
 *
 * <p>At most so many keys, a million unless told otherwise, have a count of their own. Beyond that, keys that are new share
 * overflow counts of their limit, sixteen for each, until others have aged to nothing: neither memory nor the limits give way.
 */
public final class LocalEngine implements Engine {

    /** How many keys have a count of their own unless told otherwise. */
    public static final long DEFAULT_MAX_KEYS = 1_000_000;

    private final LocalCounts counts;
    private final double stripedShare;
    private volatile boolean closed;

    /** An engine as {@link #builder} makes it, with nothing but a clock. */
    public LocalEngine(Clock clock) {
        this(builder().clock(clock));
    }

    private LocalEngine(Builder options) {
        this(new LocalCounts(new SteadyTime(options.clock), options.maxKeys), options.stripedShare);
    }

    private LocalEngine(LocalCounts counts, double stripedShare) {
        this.counts = counts;
        this.stripedShare = stripedShare;
    }

    /** Begins with the system's clock, a million keys and exact gates. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * An engine that takes its time, in microseconds since the epoch, from elsewhere: from a simulation, or from a clock that
     * may step back.
     */
    public static LocalEngine onTime(LongSupplier epochMicros) {
        return new LocalEngine(new LocalCounts(epochMicros, DEFAULT_MAX_KEYS), 0);
    }

    /** A limit and a key to be held by whoever asks for them often. Exact, unless {@link Builder#stripedGates} said otherwise. */
    public Gate gate(Limit limit, String key) {
        Gate exact = new LocalGate(counts, limit, key);
        int processors = Runtime.getRuntime().availableProcessors();
        long outstanding = limit instanceof TokenBucket ? (long) (limit.capacity() * stripedShare) : 0;
        return Stripes.areOfUse(processors, outstanding) ? new StripedGate(exact, outstanding, processors) : exact;
    }

    /** A limit to be held by whoever asks for it often, with one key or another. */
    public Gates gates(Limit limit) {
        return new LocalGates(counts, limit);
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
    public CompletionStage<Void> giveBack(List<Charge> charges) {
        charges.forEach(counts::giveBack);
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<Boolean> renew(Charge charge) {
        return CompletableFuture.completedFuture(renewNow(charge));
    }

    public boolean renewNow(Charge charge) {
        return counts.renew(charge);
    }

    /** How many counts are held in memory. */
    public long keys() {
        return counts.size();
    }

    /** How many decisions were made on overflow counts because there was no room for more keys. */
    public long overflowed() {
        return counts.overflowed();
    }

    @Override
    public void close() {
        closed = true;
    }

    /** Options of an engine; those that are not set are those of {@link LocalEngine#builder}. */
    public static final class Builder {

        private Clock clock = Clock.system();
        private long maxKeys = DEFAULT_MAX_KEYS;
        private double stripedShare;

        private Builder() {}

        /** Where time comes from. */
        public Builder clock(Clock clock) {
            this.clock = clock;
            return this;
        }

        /** How many keys have a count of their own, 1 to 2,147,483,647. */
        public Builder maxKeys(long maxKeys) {
            this.maxKeys = Expect.range("maxKeys", maxKeys, 1, Integer.MAX_VALUE);
            return this;
        }

        /**
         * Makes the {@linkplain LocalEngine#gate gates} of token buckets faster for a key that many threads ask for at the same time:
         * each gate takes permits of its bucket in small batches, which threads spend without meeting.
         *
         * <p><b>What it gives up.</b> In any span of t a gate lets at most {@code burst + rate × t} pass, plus what was outstanding at
         * the start of the span: permits taken before and not spent yet, at most {@code share × burst}. They were charged when they
         * were taken, so nothing is handed out twice and the long-run rate is exact. A request is refused only if neither the bucket
         * nor any stripe has the permits for it; a batch that another thread is just taking from the bucket is in neither.
         *
         * <p>Two gates of one key each have their own batches. Limits too small to share ({@code share × burst} less than two permits
         * for each of twice as many stripes as there are processors) are decided one by one, exactly, and so is everything that does
         * not go through a gate.
         *
         * @param share the part of the burst, above 0 and at most 1, that a gate may take in advance
         */
        public Builder stripedGates(double share) {
            this.stripedShare = Expect.share(share);
            return this;
        }

        public LocalEngine build() {
            return new LocalEngine(this);
        }
    }
}
