package io.sluice.center.identity.server;

import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Describes the groups that were expected in an answer of an identity server, and the values that it contained, as one masked
 * sentence.
 */
public final class Evidence {

    private static final int MAX_SHOWN = 10;
    private static final int CLEAR = 2;
    private static final int MAX_NAME = 40;

    private Evidence() {}

    /**
     * Returns the sentence for a claim.
     *
     * @param others the names of all received claims
     */
    public static String claim(
            String claim, List<String> came, Collection<String> others, Collection<String> expected) {
        return came.isEmpty()
                ? "the claim " + claim + " is missing or has no text; claims that came: "
                        + shown(others.stream().sorted().map(Evidence::name).toList())
                        + expected(expected)
                : "the claim " + claim + " has " + masked(came) + expected(expected);
    }

    /**
     * Returns the sentence for the groups of a directory.
     *
     * @param base the entry below which the groups were searched
     * @param filter the filter of the search
     */
    public static String groups(String base, String filter, Collection<String> came, Collection<String> expected) {
        return (came.isEmpty() ? "no group" : "the groups " + masked(came)) + " under " + base + " by " + filter
                + expected(expected);
    }

    /** Returns the start of a value and its length: enough to notice a wrong prefix, but not enough to learn the value. */
    public static String masked(String value) {
        int length = value.codePointCount(0, value.length());
        return name(value.substring(0, value.offsetByCodePoints(0, Math.min(CLEAR, length)))) + "… (" + length
                + (length == 1 ? " character)" : " characters)");
    }

    private static String masked(Collection<String> values) {
        return shown(values.stream().sorted().map(Evidence::masked).toList());
    }

    private static String expected(Collection<String> groups) {
        return " (expected: one of " + shown(List.copyOf(groups)) + ")";
    }

    private static String name(String text) {
        String plain = ServerPerson.visible(text);
        return plain.length() <= MAX_NAME ? plain : plain.substring(0, MAX_NAME) + "…";
    }

    private static String shown(List<String> texts) {
        return texts.isEmpty()
                ? "none"
                : texts.stream().limit(MAX_SHOWN).collect(Collectors.joining(", "))
                        + (texts.size() <= MAX_SHOWN ? "" : " and " + (texts.size() - MAX_SHOWN) + " more");
    }
}
