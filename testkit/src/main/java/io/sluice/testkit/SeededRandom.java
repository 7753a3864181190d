package io.sluice.testkit;

import java.util.Random;

/** A random generator whose runs can be repeated with {@code -Dsluice.tests.seed=N}. */
public final class SeededRandom extends Random {

    private static final long serialVersionUID = 1;

    private final long seed;

    private SeededRandom(long seed) {
        super(seed);
        this.seed = seed;
    }

    /** Creates a generator and prints its seed, so that a failure can be repeated. */
    public static SeededRandom of(String test) {
        long seed = Long.getLong("sluice.tests.seed", new Random().nextLong());
        System.out.println(test + ": seed " + seed);
        return new SeededRandom(seed);
    }

    /** Returns a random text of these characters, up to the given length. */
    public String text(String alphabet, int longest) {
        int length = nextInt(longest + 1);
        StringBuilder text = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            text.append(alphabet.charAt(nextInt(alphabet.length())));
        }
        return text.toString();
    }

    /** Returns one of the choices. */
    @SafeVarargs
    public final <T> T oneOf(T... choices) {
        return choices[nextInt(choices.length)];
    }

    @Override
    public String toString() {
        return "seed " + seed;
    }
}
