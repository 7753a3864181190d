package io.sluice.rules.internal.table;

import java.util.Arrays;

/** The segments of a path, as far as a pattern can distinguish paths. Not thread-safe. */
public final class PathSegments {

    /** The maximum length of a pattern in characters. */
    private static final int LONGEST = 1_024;

    /** The maximum number of segments, because each takes at least two characters of a pattern. */
    private static final int MOST = LONGEST / 2;

    private final String path;
    private int[] ends = new int[8];
    private int size;
    private boolean whole;

    /** The hash of the path up to {@link #hashed}. */
    private long hash = SecretHash.START;

    private int hashed;

    private PathSegments(String path) {
        this.path = path;
    }

    static PathSegments of(String path) {
        PathSegments segments = new PathSegments(path);
        segments.split();
        return segments;
    }

    /**
     * Returns the number of segments; 0 if the path does not start with a slash. Only a pattern for every path matches such a
     * path.
     */
    public int size() {
        return size;
    }

    /** Returns whether these segments are the whole path. */
    boolean isWhole() {
        return whole;
    }

    boolean isEmpty(int segment) {
        return start(segment) == ends[segment];
    }

    /** Returns the number that a table has for one of the segments. */
    int lookUp(int segment, TextTable texts, int place) {
        int start = start(segment);
        int end = ends[segment];
        return end - start > LONGEST
                ? TextTable.NONE
                : texts.get(place, SecretHash.mixed(SecretHash.of(path, start, end), place), path, start, end);
    }

    /** Adds a lookup for this segment. */
    public void ask(int segment, int place, LookupBatch questions) {
        int start = start(segment);
        int end = ends[segment];
        if (end - start <= LONGEST) {
            questions.ask(place, SecretHash.of(path, start, end), path, start, end);
        }
    }

    /**
     * Adds a lookup for the first {@code depth} segments. Returns false if they are too long for any pattern. Cheap if the depth
     * grows from call to call.
     */
    boolean askTree(int depth, int place, LookupBatch questions) {
        int end = depth == 0 ? 0 : ends[depth - 1];
        if (end > LONGEST) {
            return false;
        }
        if (end < hashed) {
            hash = SecretHash.START;
            hashed = 0;
        }
        for (; hashed < end; hashed++) {
            hash = SecretHash.and(hash, path.charAt(hashed));
        }
        questions.askTree(place, hash, path, end, depth);
        return true;
    }

    private void split() {
        int at = 0;
        while (at < path.length() && path.charAt(at) == '/') {
            if (size == MOST) {
                return;
            }
            if (size == ends.length) {
                ends = Arrays.copyOf(ends, size * 2);
            }
            int slash = path.indexOf('/', at + 1);
            at = slash < 0 ? path.length() : slash;
            ends[size++] = at;
        }
        whole = size > 0;
    }

    private int start(int segment) {
        return segment == 0 ? 1 : ends[segment - 1] + 1;
    }
}
