package io.sluice.center.personal;

import java.util.Collection;
import java.util.stream.Collectors;

/** Numbers of rows in sentences. */
public final class Numbers {

    /** The maximum number of numbers in a sentence. */
    public static final int SHOWN = 20;

    private Numbers() {}

    /** Returns the first numbers, and the number of those that are left out. */
    public static String some(Collection<Long> numbers) {
        String shown = numbers.stream().limit(SHOWN).map(String::valueOf).collect(Collectors.joining(", "));
        return numbers.size() > SHOWN ? shown + " and " + (numbers.size() - SHOWN) + " more" : shown;
    }
}
