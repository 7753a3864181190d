package io.sluice.core.local;

import io.sluice.core.algorithm.BucketState;
import io.sluice.core.limit.Pace;
import io.sluice.core.limit.TokenBucket;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Verdict;
import org.jspecify.annotations.Nullable;

/**
 * A token bucket in one word: the moment at which it will be full again, in units of which a microsecond has {@code flow} and a
 * permit has {@code per}. What is used now is the distance of that moment from the present; a moment that has passed is a full
 * bucket. The same numbers as {@link BucketState}, exactly, as long as time does not step back. A word does not tell when it was
 * written: its time up to a change of rate can only count at the old rate. Immutable.
 *
 * <p>Moments are counted from the start of the engine. A word has room for more than ten years of them.
 */
final class PackedBucket {

    /** The word of a bucket that nobody has used since the engine started. */
    static final long UNUSED = 0;

    /** Ten years, and the furthest slot that can be reserved at their end. */
    private static final long HORIZON_MICROS = 10 * 366 * 86_400_000_000L + Demand.MAX_WAIT_MICROS;

    /** The largest capacity, in units. */
    private static final long LARGEST = 1L << 61;

    private static final long LARGEST_FLOW = (Long.MAX_VALUE - LARGEST) / HORIZON_MICROS;

    final TokenBucket limit;
    final SteadyTime time;
    private final long flow;
    private final long per;
    private final long capacity;
    private final long sinceMicros;

    private PackedBucket(TokenBucket limit, SteadyTime time, long sinceMicros) {
        this.sinceMicros = sinceMicros;
        this.limit = limit;
        this.time = time;
        this.flow = limit.pace().permits();
        this.per = limit.pace().micros();
        this.capacity = limit.capacity() * per;
    }

    /** Null if the numbers of the limit need more than a word. */
    static @Nullable PackedBucket of(TokenBucket limit, SteadyTime time) {
        Pace pace = limit.pace();
        boolean fits = pace.permits() <= LARGEST_FLOW && limit.capacity() <= LARGEST / pace.micros() && !pace.isZero();
        return fits ? new PackedBucket(limit, time, time.startMicros) : null;
    }

    /** The same for buckets that have had this pace only since then: see {@link BucketState#sinceMicros}. */
    PackedBucket since(long micros) {
        return micros <= sinceMicros ? this : new PackedBucket(limit, time, micros);
    }

    /** Whether both mean the same by a word. */
    boolean agreesWith(@Nullable PackedBucket other) {
        return this == other || (other != null && limit.equals(other.limit));
    }

    /** Whether a word has room for so many used permits; more can be used than the capacity, and than it once was. */
    boolean holds(long used) {
        return used <= LARGEST / per;
    }

    /** The present as a moment. */
    long moment(long micros) {
        return momentAfter(micros - time.startMicros);
    }

    /** The present as a moment, so long after the start. */
    long momentAfter(long elapsedMicros) {
        return elapsedMicros * flow;
    }

    /** What of a word is used at a moment, in units. */
    static long used(long word, long moment) {
        return Math.max(0, word - moment);
    }

    /** Whether so many permits fit into what is not used; never if they are more than the capacity. */
    boolean fits(long word, long moment, long permits) {
        return permits <= limit.capacity() && used(word, moment) <= capacity - permits * per;
    }

    /** The word once so many permits are used that fit. */
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

    /** Until so many units have flowed, rounded up. */
    long microsFor(long units) {
        return Math.min(Pace.MAX_MICROS, flow == 1 ? units : (units + flow - 1) / flow);
    }

    /**
     * What {@link io.sluice.core.algorithm.TokenBuckets} says, without leaving the word: it divides only twice.
     *
     * @param used before the decision, in units
     * @param grant permits; 0 if refused
     * @param wanted the fewest permits that would do
     * @param chargedAt what a give-back has to name
     */
    Verdict verdict(long used, long grant, long wanted, boolean charged, long chargedAt) {
        long fewest = grant > 0 ? grant : Math.min(wanted, limit.capacity());
        long over = used + fewest * per - capacity;
        long after = charged ? used + grant * per : used;
        boolean never = grant == 0 && wanted > limit.capacity();
        // One place where it is made, so that it need not be made at all where only its parts are used.
        return new Verdict(
                grant > 0,
                charged ? grant : 0,
                Math.max(0, capacity - after) / per,
                grant > 0 ? 0 : never ? Verdict.NEVER : microsFor(over),
                microsFor(after),
                grant > 0 && over > 0 ? microsFor(over) : 0,
                chargedAt);
    }
}
