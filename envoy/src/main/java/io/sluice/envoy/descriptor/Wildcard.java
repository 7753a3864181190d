package io.sluice.envoy.descriptor;

import java.util.List;

/**
 * A value with stars. Each star stands for any text, even an empty one. Immutable.
 *
 * <p>This is not a {@code Glob} of the rules, because in files of the reference service a question mark and a backslash have no
 * special meaning.
 */
final class Wildcard {

    private final String first;
    private final List<String> inner;
    private final String last;
    private final int shortest;

    Wildcard(String pattern) {
        String[] parts = pattern.split("\\*", -1);
        this.first = parts[0];
        this.last = parts[parts.length - 1];
        this.inner = List.of(parts).subList(1, parts.length - 1).stream()
                .filter(part -> !part.isEmpty())
                .toList();
        this.shortest = first.length() + last.length();
    }

    static boolean is(String value) {
        return value.indexOf('*') >= 0;
    }

    /**
     * Matches each part at its first occurrence, which leaves the most room for the next part, so no backtracking is needed.
     */
    boolean matches(String value) {
        if (value.length() < shortest || !value.startsWith(first) || !value.endsWith(last)) {
            return false;
        }
        int at = first.length();
        int end = value.length() - last.length();
        for (String part : inner) {
            int found = value.indexOf(part, at);
            if (found < 0 || found + part.length() > end) {
                return false;
            }
            at = found + part.length();
        }
        return true;
    }
}
