package io.sluice.rules.internal.index;

import java.util.ArrayList;
import java.util.List;

/**
 * A path between its slashes, as far as a pattern can tell paths apart.
 *
 * @param parts none if the path does not start with a slash: then only a pattern for every path has it
 * @param whole whether the parts are the whole path
 */
record Segments(List<String> parts, boolean whole) {

    /** No pattern has more segments: each takes two characters of it, and it has at most 1,024. */
    private static final int MOST = 512;

    static Segments of(String path) {
        List<String> parts = new ArrayList<>(8);
        int at = 0;
        while (at < path.length() && path.charAt(at) == '/') {
            if (parts.size() == MOST) {
                return new Segments(parts, false);
            }
            int slash = path.indexOf('/', at + 1);
            int end = slash < 0 ? path.length() : slash;
            parts.add(path.substring(at + 1, end));
            at = end;
        }
        return new Segments(parts, !parts.isEmpty());
    }
}
