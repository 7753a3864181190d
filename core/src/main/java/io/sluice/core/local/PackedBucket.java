package io.sluice.core.local;

import io.sluice.core.algorithm.BucketState;
import io.sluice.core.limit.Pace;
import io.sluice.core.limit.TokenBucket;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Verdict;
import org.jspecify.annotations.Nullable;

/**
 * A token bucket in one word: the moment at which it will be full again, in units of which a microsecond has {@code flow} and a
 * permit has {@code per}. The used amount is the distance from now to that moment; if the moment has passed, the bucket is
 * full. The numbers equal those of {@link BucketState} exactly, as long as time does not step back. A word does not contain the
 * time at which it was written, so the time up to a change of rate can only be counted at the old rate. Immutable.
 *
 * <p>Moments are counted from the start of the engine. A word has room for more than ten years of them.
 */
final class PackedBucket {

    /** The word of a bucket that has not been used since the engine started. */
    static final long UNUSED = 0;

    /** The latest moment: ten years, plus the latest slot that can be reserved at their end. */
    private static final long HORIZON_MICROS = 10 * 366 * 86_400_000_000L + Demand.MAX_WAIT_MICROS;

    /** The largest capacity, in units. */
    private static final long LARGEST = 1L << 61;

    private static final long LARGEST_FLOW = (Long.MAX_VALUE - LARGEST) / HORIZON_MICROS;

    final TokenBucket limit;
    final SteadyTime time;
    private final long flow;
    private final long per;
    private final long capacity;
    private final long most;
    private final long sinceMicros;

    private PackedBucket(TokenBucket limit, SteadyTime time, long sinceMicros) {
        this.sinceMicros = sinceMicros;
        this.limit = limit;
        this.time = time;
        this.flow = limit.pace().permits();
        this.per = limit.pace().micros();
        this.most = limit.capacity();
        this.capacity = most * per;
    }

    /** Returns the packed form of a limit, or null if its numbers need more than a word. */
    static @Nullable PackedBucket of(TokenBucket limit, SteadyTime time) {
        Pace pace = limit.pace();
        boolean fits = pace.permits() <= LARGEST_FLOW && limit.capacity() <= LARGEST / pace.micros() && !pace.isZero();
        return fits ? new PackedBucket(limit, time, time.startMicros) : null;
    }

    /** Returns the same form for buckets that have had this pace only since then, see {@link BucketState#sinceMicros}. */
    PackedBucket since(long micros) {
        return micros <= sinceMicros ? this : new PackedBucket(limit, time, micros);
    }

    /** Returns whether a word has the same meaning in both forms. */
    boolean agreesWith(@Nullable PackedBucket other) {
        return this == other || (other != null && limit.equals(other.limit));
    }

    /**
     * Returns whether a word has room for {@code used} permits. More than the capacity may be used, because the capacity may
     * have shrunk.
     */
    boolean holds(long used) {
        return used <= LARGEST / per;
    }

    /** Returns the moment for a time. */
    long moment(long micros) {
        return momentAfter(micros - time.startMicros);
    }

    /** Returns the moment for a time after the start. */
    long momentAfter(long elapsedMicros) {
        return elapsedMicros * flow;
    }

    /** Returns the used amount of a word at a moment, in units. */
    static long used(long word, long moment) {
        return Math.max(0, word - moment);
    }

    /** Returns whether the permits fit if {@code used} units are used. Permits beyond the capacity never fit. */
    boolean fits(long used, long permits) {
        return permits <= most && used <= capacity - permits * per;
    }

    /** Returns the word after charging permits that fit. */
    long charged(long word, long moment, long permits) {
        return Math.max(word, moment) + permits * per;
    }

    BucketState state(long word, long micros) {
        long used = used(word, moment(micros));
        return new BucketState(used / per, used % per, limit.pace(), micros, sinceMicros);
    }

    long word(BucketState state) {
        return moment(state.atMicros()) + state.used() * per + state.parts();
    }

    /** Returns the time in which {@code units} flow, rounded up. */
    long microsFor(long units) {
        return Math.min(Pace.MAX_MICROS, flow == 1 ? units : (units + flow - 1) / flow);
    }

    /**
     * Returns the verdict of {@link io.sluice.core.algorithm.TokenBuckets}, computed on the word with only two divisions.
     *
     * @param used the used amount before the decision, in units
     * @param grant the granted permits; 0 if refused
     * @param wanted the minimum number of permits that must be free
     * @param chargedAt the time that a refund must name
     * @param kept whether the demand is refused only because of the permits that it keeps for other callers
     */
    Verdict verdict(long used, long grant, long wanted, boolean charged, long chargedAt, boolean kept) {
        long fewest = grant > 0 ? grant : Math.min(wanted, limit.capacity());
        long over = used + fewest * per - capacity;
        long after = charged ? used + grant * per : used;
        boolean never = grant == 0 && wanted > limit.capacity();
        // A single allocation site, so that the JIT can remove the allocation if only the parts are used.
        return new Verdict(
                grant > 0,
                charged ? grant : 0,
                Math.max(0, capacity - after) / per,
                grant > 0 ? 0 : never ? Verdict.NEVER : microsFor(over),
                microsFor(after),
                grant > 0 && over > 0 ? microsFor(over) : 0,
                chargedAt,
                kept);
    }
}
