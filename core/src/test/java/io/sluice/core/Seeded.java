package io.sluice.core;

import java.util.Random;

/**
 * Repeatable randomness, with a configurable amount of work. {@code -Dsluice.tests.seed=N} repeats a run.
 * {@code -Dsluice.tests.scale=100} makes the tests that use it do a hundred times as much, {@code 0.1} a tenth.
 */
public final class Seeded extends Random {

    private static final long serialVersionUID = 1;

    private static final double SCALE = Double.parseDouble(System.getProperty("sluice.tests.scale", "1"));

    private final long seed;

    private Seeded(long seed) {
        super(seed);
        this.seed = seed;
    }

    /** Prints the seed, so that a failure can be repeated. */
    public static Seeded random(String test) {
        long seed = Long.getLong("sluice.tests.seed", new Random().nextLong());
        System.out.println(test + ": seed " + seed);
        return new Seeded(seed);
    }

    /** Returns the count multiplied by the configured scale. */
    public static long scaled(long count) {
        return Math.max(1, Math.round(count * SCALE));
    }

    /** Returns a number from {@code least} to {@code most}; small ones are as likely as large ones. */
    public long magnitude(long least, long most) {
        double low = Math.log((double) least);
        double exponent = low + nextDouble() * (Math.log((double) most) - low);
        return Math.min(most, Math.max(least, (long) Math.exp(exponent)));
    }

    public boolean oneIn(int chances) {
        return nextInt(chances) == 0;
    }

    @Override
    public String toString() {
        return "seed " + seed;
    }
}
