package io.sluice.runtime.erasure;

import java.util.Map;
import java.util.TreeMap;

/**
 * The subject of an erasure: everything stored under one value of one attribute. Its text form hides the value.
 *
 * @param attribute the name of the attribute, such as {@code user}
 * @param value the value as requests have it
 * @param known further attributes of the subject's requests, such as the tenant. They find counts that are stored under a hash of several
 *     attributes
 */
public record Subject(String attribute, String value, Map<String, String> known) {

    private static final int LONGEST = 1_000;
    private static final int MOST_KNOWN = 8;

    public Subject {
        known = Map.copyOf(new TreeMap<>(known));
        check(attribute);
        check(value);
        if (known.size() > MOST_KNOWN) {
            throw new IllegalArgumentException("known: too many (expected: at most " + MOST_KNOWN + " attributes)");
        }
        known.forEach((name, text) -> {
            check(name);
            check(text);
        });
    }

    private static void check(String text) {
        if (text.isEmpty() || text.length() > LONGEST) {
            throw new IllegalArgumentException("subject: empty or too long (expected: an attribute and its value,"
                    + " at most " + LONGEST + " characters each)");
        }
    }

    /** The value is to be forgotten, so it must not reach a log by accident. */
    @Override
    public String toString() {
        return "Subject[" + attribute + "]";
    }
}
