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
    private volatile boolean closed;

    public LocalEngine(Clock clock) {
        this(clock, DEFAULT_MAX_KEYS);
    }

    /** An engine that holds at most {@code maxKeys} counts. */
    public LocalEngine(Clock clock, long maxKeys) {
        this(new LocalCounts(new SteadyTime(clock), Expect.range("maxKeys", maxKeys, 1, Integer.MAX_VALUE)));
    }

    private LocalEngine(LocalCounts counts) {
        this.counts = counts;
    }

    /**
     * An engine that takes its time, in microseconds since the epoch, from elsewhere: from a simulation, or from a clock that
     * may step back.
     */
    public static LocalEngine onTime(LongSupplier epochMicros) {
        return new LocalEngine(new LocalCounts(epochMicros, DEFAULT_MAX_KEYS));
    }

    /** A limit and a key to be held by whoever asks for them often. */
    public Gate gate(Limit limit, String key) {
        return new LocalGate(counts, limit, key);
    }

    /** A limit to be held by whoever asks for it often, with one key or another. */
    public Gates gates(Limit limit) {
        return new LocalGates(counts, limit);
    }

    /**
     * A gate for a key that many threads ask for at the same time.
     *
     * @param share the part of the burst, above 0 and at most 1, that may be taken in advance; see {@link StripedGate}
     */
    public StripedGate stripedGate(TokenBucket limit, String key, double share) {
        return new StripedGate(
                new LocalGate(counts, limit, key),
                limit,
                share,
                Runtime.getRuntime().availableProcessors());
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
}
