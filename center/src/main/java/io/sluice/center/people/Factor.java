package io.sluice.center.people;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A proof of a person's identity, and the time at which it was presented.
 *
 * @param authority the name of the factor, such as {@code FACTOR_PASSWORD}
 * @param at milliseconds since the epoch
 */
public record Factor(String authority, long at) {

    static String write(List<Factor> factors) {
        return factors.stream()
                .map(factor -> factor.authority() + "@" + factor.at())
                .collect(Collectors.joining(" "));
    }

    static List<Factor> read(String text) {
        List<Factor> factors = new ArrayList<>();
        for (String word : text.isEmpty() ? new String[0] : text.split(" ", -1)) {
            int at = word.lastIndexOf('@');
            factors.add(new Factor(word.substring(0, at), Long.parseLong(word.substring(at + 1))));
        }
        return factors;
    }

    /** Returns the given factors and this one, which replaces an earlier factor of the same kind. */
    List<Factor> addedTo(List<Factor> factors) {
        List<Factor> all = new ArrayList<>(factors);
        all.removeIf(factor -> factor.authority().equals(authority));
        all.add(this);
        return all;
    }
}
