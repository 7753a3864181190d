package io.sluice.core.algorithm;

/**
 * What is used of a token bucket: {@code used} whole permits and {@code parts / of} of one more, as of {@code atMicros}.
 *
 * <p>The denominator {@code of} is the {@link Pace#micros()} it was counted with, so that a change of rate can carry over
 * what was used exactly.
 */
public record BucketState(long used, long parts, long of, long atMicros) {

    /** A bucket that nobody has used. */
    public static BucketState fresh(long nowMicros) {
        return new BucketState(0, 0, 1, nowMicros);
    }

    /** The same with {@code permits} more used. */
    public BucketState plus(long permits) {
        return new BucketState(used + permits, parts, of, atMicros);
    }

    public boolean isUnused() {
        return used == 0 && parts == 0;
    }
}
