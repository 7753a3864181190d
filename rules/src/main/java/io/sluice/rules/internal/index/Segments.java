package io.sluice.rules.internal.index;

import java.util.Arrays;

/** A path between its slashes, as far as a pattern can tell paths apart. For one thread. */
final class Segments {

    /** No pattern has more segments: each takes two characters of it, and it has at most {@link #LONGEST}. */
    private static final int MOST = 512;

    private static final int LONGEST = 1_024;

    private final String path;
    private int[] ends = new int[8];
    private long[] hashes = new long[8];
    private int size;
    private int hashed;
    private boolean whole;

    private Segments(String path) {
        this.path = path;
    }

    static Segments of(String path) {
        Segments segments = new Segments(path);
        segments.split();
        return segments;
    }

    /** None if the path does not start with a slash: then only a pattern for every path has it. */
    int size() {
        return size;
    }

    /** Whether these are the whole path. */
    boolean isWhole() {
        return whole;
    }

    boolean isEmpty(int segment) {
        return start(segment) == ends[segment];
    }

    /** What a table has for one of the segments. */
    int lookUp(int segment, TextTable texts, int place) {
        int start = start(segment);
        int end = ends[segment];
        return end - start > LONGEST ? TextTable.NONE : texts.get(place, hash(segment), path, start, end);
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

    /** Each once, and only as far as somebody asks. */
    private long hash(int segment) {
        if (hashed <= segment) {
            hashes = hashes.length < ends.length ? Arrays.copyOf(hashes, ends.length) : hashes;
            for (; hashed <= segment; hashed++) {
                int start = start(hashed);
                hashes[hashed] = SecretHash.of(path, start, Math.min(ends[hashed], start + LONGEST));
            }
        }
        return hashes[segment];
    }
}
