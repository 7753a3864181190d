package io.sluice.envoy.descriptor;

import java.util.List;

/** A value with stars, each standing for any text, none too. Immutable. */
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

    /** The first place for each part leaves the most room for the next, so there is nothing to try again. */
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
