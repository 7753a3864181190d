package io.sluice.testkit;

import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * A random generator whose runs can be repeated with {@code -Dsluice.tests.seed=N}, and the size of a test that has a short and
 * a long form. {@code -Dsluice.tests.scale=10} selects the long forms, 1 the short forms, and 0.1 even shorter forms.
 */
public final class SeededRandom extends Random {

    private static final long serialVersionUID = 1;

    private static final double SCALE = Double.parseDouble(System.getProperty("sluice.tests.scale", "1"));

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

    /** Returns the count of the short form, or ten times this count in the long form. */
    public static int scaled(int count) {
        return scaled(count, 10 * count);
    }

    /** Returns the count of the short or of the long form; other scales follow the curve through both. */
    public static int scaled(int inShortForm, int inLongForm) {
        return scaled(inShortForm, inLongForm, SCALE);
    }

    static int scaled(int inShortForm, int inLongForm, double scale) {
        double growth = (double) inLongForm / inShortForm;
        return (int) Math.max(1, Math.round(inShortForm * Math.pow(growth, Math.log10(scale))));
    }

    /** Returns this many of the choices in the short form, evenly spread, and all of them in the long form. */
    public static <T> List<T> sample(List<T> choices, int inShortForm) {
        return sample(choices, inShortForm, SCALE);
    }

    static <T> List<T> sample(List<T> choices, int inShortForm, double scale) {
        if (choices.size() <= inShortForm) {
            return choices;
        }
        int size = Math.min(choices.size(), scaled(inShortForm, choices.size(), scale));
        return IntStream.range(0, size)
                .mapToObj(i -> choices.get((int) ((long) i * choices.size() / size)))
                .toList();
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
