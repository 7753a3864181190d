package io.sluice.core.limit;

import java.math.BigInteger;

/**
 * A rate as a fraction of small integers: {@code permits} flow in {@code micros} microseconds. Immutable.
 *
 * <p>Engines count used permits in whole permits plus a fraction with the denominator {@code micros}. One microsecond then
 * refills exactly {@code permits} such parts, so counting involves no rounding and does not drift. The fraction is the rate
 * itself, reduced, if both sides stay below 2<sup>31</sup> (or if it is one permit per some number of microseconds). Any other
 * rate is replaced by a slightly slower rate, by less than 2<sup>-30</sup> of it: never in the caller's favour.
 *
 * <p>These bounds keep every product below 2<sup>62</sup>. Lua has only doubles and splits the same products.
 */
public record Pace(long permits, long micros) {

    /** The maximum wait that is reported, 285 years: the largest integer that Lua can represent exactly. */
    public static final long MAX_MICROS = (1L << 53) - 1;

    private static final BigInteger FINE = BigInteger.ONE.shiftLeft(30);

    /** Returns the fastest pace that is not faster than {@code permits} per {@code micros} and fits the bounds above. */
    public static Pace of(long permits, long micros) {
        if (permits < 0 || micros < 1) {
            throw new IllegalArgumentException(
                    "pace: " + permits + " per " + micros + " us (expected: 0 or more permits per 1 or more us)");
        }
        if (permits == 0) {
            return new Pace(0, 1);
        }
        long divisor = greatestDivisor(permits, micros);
        long reducedPermits = permits / divisor;
        long reducedMicros = micros / divisor;
        if (reducedPermits == 1 || Math.max(reducedPermits, reducedMicros) < 1L << 31) {
            return new Pace(reducedPermits, reducedMicros);
        }
        BigInteger n = BigInteger.valueOf(reducedPermits);
        BigInteger p = BigInteger.valueOf(reducedMicros);
        if (n.compareTo(p) <= 0) {
            BigInteger slowN = ceilDivide(n.multiply(FINE), p);
            return new Pace(
                    slowN.longValueExact(), ceilDivide(slowN.multiply(p), n).longValueExact());
        }
        BigInteger slowP = ceilDivide(p.multiply(FINE), n);
        return new Pace(n.multiply(slowP).divide(p).longValueExact(), slowP.longValueExact());
    }

    private static long greatestDivisor(long a, long b) {
        long larger = a;
        long smaller = b;
        while (smaller != 0) {
            long rest = larger % smaller;
            larger = smaller;
            smaller = rest;
        }
        return larger;
    }

    public boolean isZero() {
        return permits == 0;
    }

    /** Returns the whole permits that flow in {@code elapsedMicros}. */
    public long wholeIn(long elapsedMicros) {
        return elapsedMicros / micros * permits + elapsedMicros % micros * permits / micros;
    }

    /** Returns the flow in {@code elapsedMicros} beyond the whole permits, in parts of {@code 1/micros}. */
    public long partsIn(long elapsedMicros) {
        return elapsedMicros % micros * permits % micros;
    }

    /** Returns the fewest microseconds in which {@code whole} permits and {@code parts} more have flowed. */
    public long microsFor(long whole, long parts) {
        long rounds = whole / permits;
        if (rounds > MAX_MICROS / micros) {
            return MAX_MICROS;
        }
        long rest = whole % permits * micros + parts;
        return Math.min(MAX_MICROS, rounds * micros + (rest + permits - 1) / permits);
    }

    /**
     * Converts parts of this pace to parts of {@code next}, rounded up. The result may be a whole permit,
     * {@code next.micros()}.
     */
    public long partsAs(Pace next, long parts) {
        if (next.micros == micros || parts == 0) {
            return parts;
        }
        return ceilDivide(
                        BigInteger.valueOf(parts).multiply(BigInteger.valueOf(next.micros)), BigInteger.valueOf(micros))
                .longValueExact();
    }

    private static BigInteger ceilDivide(BigInteger dividend, BigInteger divisor) {
        return dividend.add(divisor).subtract(BigInteger.ONE).divide(divisor);
    }
}
