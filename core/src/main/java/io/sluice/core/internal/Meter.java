package io.sluice.core.internal;

import io.sluice.core.TokenBucket;
import io.sluice.core.algorithm.BucketState;
import io.sluice.core.algorithm.Pace;
import org.jspecify.annotations.Nullable;

/**
 * A token bucket in one word: the moment at which it will be full again, in units of which a microsecond has {@code flow} and a
 * permit has {@code per}. What is used now is the distance of that moment from the present; a moment that has passed is a full
 * bucket. The same numbers as {@link BucketState}, exactly, as long as time does not step back. Immutable.
 *
 * <p>Moments are counted from the start of the engine, {@code origin}. A word has room for more than ten years of them.
 */
final class Meter {

    /** The word of a bucket that nobody has used since the engine started. */
    static final long UNUSED = 0;

    private static final long HORIZON_MICROS = 3 * 366 * 86_400_000_000L;
    private static final long LARGEST = 1L << 61;

    final TokenBucket limit;
    final long origin;
    final long flow;
    final long per;
    final long capacity;

    private Meter(TokenBucket limit, long origin) {
        this.limit = limit;
        this.origin = origin;
        this.flow = limit.pace().permits();
        this.per = limit.pace().micros();
        this.capacity = limit.capacity() * per;
    }

    /** Null if the numbers of the limit need more than a word. */
    static @Nullable Meter of(TokenBucket limit, long origin) {
        Pace pace = limit.pace();
        boolean fits = pace.permits() <= LARGEST / HORIZON_MICROS
                && limit.capacity() <= LARGEST / pace.micros()
                && !pace.isZero();
        return fits ? new Meter(limit, origin) : null;
    }

    /** Whether both mean the same by a word. */
    boolean agreesWith(@Nullable Meter other) {
        return this == other || (other != null && limit.equals(other.limit));
    }

    /** Whether a word has room for so many used permits; more can be used than the capacity, and than it once was. */
    boolean holds(long used) {
        return used <= LARGEST / per;
    }

    /** The present as a moment. */
    long moment(long micros) {
        return (micros - origin) * flow;
    }

    BucketState state(long word, long micros) {
        long used = Math.max(0, word - moment(micros));
        return new BucketState(used / per, used % per, per, micros);
    }

    long word(BucketState state) {
        return moment(state.atMicros()) + state.used() * per + state.parts();
    }
}
