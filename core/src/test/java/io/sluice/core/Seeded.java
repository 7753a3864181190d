package io.sluice.core;

import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Repeatable randomness, and the size of a test that has a short and a long form. {@code -Dsluice.tests.seed=N} repeats a run.
 * {@code -Dsluice.tests.scale=10} chooses the long forms, 1 is the short form, 0.1 is shorter still. The testkit has the same in
 * {@code SeededRandom}, which these tests cannot use, because it depends on this module.
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

    /** Returns the count multiplied by the configured scale, which is 1 in the short form and 10 in the long form. */
    public static long scaled(long count) {
        return scaled(count, 10 * count);
    }

    /** Returns the count of the short or of the long form; other scales follow the curve through both. */
    public static long scaled(long inShortForm, long inLongForm) {
        double growth = (double) inLongForm / inShortForm;
        return Math.max(1, Math.round(inShortForm * Math.pow(growth, Math.log10(SCALE))));
    }

    /** Returns this many of the choices in the short form, evenly spread, and all of them in the long form. */
    public static <T> List<T> sample(List<T> choices, int inShortForm) {
        int size = (int) Math.min(choices.size(), scaled(Math.min(inShortForm, choices.size()), choices.size()));
        return IntStream.range(0, size)
                .mapToObj(i -> choices.get(i * choices.size() / size))
                .toList();
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
