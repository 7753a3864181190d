package io.sluice.testkit;

import java.util.Random;

/** Randomness that can be had again: {@code -Dsluice.tests.seed=N} repeats a run. */
public final class SeededRandom extends Random {

    private static final long serialVersionUID = 1;

    private SeededRandom(long seed) {
        super(seed);
    }

    /** Prints the seed, so that a failure can be repeated. */
    public static SeededRandom of(String test) {
        long seed = Long.getLong("sluice.tests.seed", new Random().nextLong());
        System.out.println(test + ": seed " + seed);
        return new SeededRandom(seed);
    }

    /** Up to so many of these characters. */
    public String text(String alphabet, int longest) {
        int length = nextInt(longest + 1);
        StringBuilder text = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            text.append(alphabet.charAt(nextInt(alphabet.length())));
        }
        return text.toString();
    }

    /** One of these. */
    @SafeVarargs
    public final <T> T oneOf(T... choices) {
        return choices[nextInt(choices.length)];
    }
}
