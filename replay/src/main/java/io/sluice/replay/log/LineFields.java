package io.sluice.replay.log;

import java.util.Arrays;

/**
 * The fields of one line, as positions in its bytes. One object is filled again for each line, because there may be millions of lines. Not
 * thread-safe.
 */
final class LineFields {

    private static final int LOWEST_RANK = Integer.MAX_VALUE;
    private static final long MICROS = 1_000_000;

    /** The maximum duration of a request: a day. A longer duration is a mistake. */
    private static final long LONGEST_MICROS = 86_400 * MICROS;

    private final byte[][] base;
    private final int[] from;
    private final int[] to;
    private final int[] rank;
    private final TimeText times = new TimeText();
    private byte[] scratch = new byte[1_024];
    private int scratchUsed;
    private final boolean needsPath;
    private String problem = "";

    private long atMicros;
    private long durationMicros;
    private int status;
    private long permits;

    LineFields(Layout layout) {
        this(layout, true);
    }

    /** @param needsPath whether every request has a path; in a recording, requests have a path only if a rule names it */
    LineFields(Layout layout, boolean needsPath) {
        this.needsPath = needsPath;
        int size = layout.size();
        this.base = new byte[size][];
        this.from = new int[size];
        this.to = new int[size];
        this.rank = new int[size];
        clear();
    }

    void clear() {
        Arrays.fill(rank, LOWEST_RANK);
        scratchUsed = 0;
        problem = "";
    }

    /** Puts a value into a slot, unless the slot has a better value. An empty value and {@code -} mean that there is no value. */
    void set(FieldTarget target, byte[] bytes, int start, int end) {
        boolean nothing = end <= start || (end - start == 1 && bytes[start] == '-');
        if (!nothing && target.rank() < rank[target.slot()]) {
            put(target.slot(), target.rank(), bytes, start, end);
        }
    }

    private void put(int slot, int itsRank, byte[] bytes, int start, int end) {
        base[slot] = bytes;
        from[slot] = start;
        to[slot] = end;
        rank[slot] = itsRank;
    }

    /** Returns a buffer with room for this many more bytes, for decoded values that are not literally in the line. */
    byte[] scratch(int bytes) {
        if (scratch.length - scratchUsed < bytes) {
            // Values in the old buffer stay there.
            scratch = new byte[Math.max(2 * scratch.length, bytes)];
            scratchUsed = 0;
        }
        return scratch;
    }

    int scratchUsed() {
        return scratchUsed;
    }

    void scratchUsed(int end) {
        scratchUsed = end;
    }

    boolean has(int slot) {
        return rank[slot] != LOWEST_RANK;
    }

    byte[] bytes(int slot) {
        return base[slot];
    }

    int from(int slot) {
        return from[slot];
    }

    int to(int slot) {
        return to[slot];
    }

    /** Sets the problem of the line as a whole. Returns false. */
    boolean problem(String text) {
        return problem(1, text);
    }

    /**
     * Sets the problem of the line. Returns false.
     *
     * @param column the column of the problem, from 1
     */
    boolean problem(int column, String text) {
        problem = column + ": " + text;
        return false;
    }

    /** Returns the column, a colon, and the problem. */
    String problem() {
        return problem;
    }

    long atMicros() {
        return atMicros;
    }

    long durationMicros() {
        return durationMicros;
    }

    int status() {
        return status;
    }

    long permits() {
        return permits;
    }

    /** Computes time, duration, method and path from the values. Returns false if the line is not a request. */
    boolean complete() {
        durationMicros = duration();
        if (has(Layout.TIME)) {
            atMicros = times.micros(base[Layout.TIME], from[Layout.TIME], to[Layout.TIME]);
        } else if (has(Layout.END_TIME)) {
            atMicros = times.micros(base[Layout.END_TIME], from[Layout.END_TIME], to[Layout.END_TIME]);
            atMicros -= atMicros == TimeText.NONE ? 0 : Math.max(0, durationMicros);
        } else {
            return problem("time: missing (expected: the time of the request)");
        }
        if (atMicros == TimeText.NONE) {
            return problem("time: unreadable (expected: a time from 1990 to 2199)");
        }
        status = (int) Math.min(number(Layout.STATUS, 3), 999);
        permits = has(Layout.PERMITS) ? number(Layout.PERMITS, 9) : 1;
        if (permits < 0) {
            return problem("permits: not a number (expected: 0 or more)");
        }
        return request();
    }

    /** Splits {@code GET /path HTTP/1.1}, and the query from the path. */
    private boolean request() {
        if (has(Layout.REQUEST)) {
            byte[] line = base[Layout.REQUEST];
            int start = from[Layout.REQUEST];
            int end = to[Layout.REQUEST];
            int space = indexOf(line, start, end, ' ');
            int last = lastIndexOf(line, start, end, ' ');
            boolean versioned = last > space && end - last > 5 && line[last + 1] == 'H' && line[last + 5] == '/';
            if (space <= start || space + 1 >= end) {
                return problem("request: not a request (expected: a method, a path and a version)");
            }
            put(Layout.METHOD, 0, line, start, space);
            put(Layout.TARGET, 0, line, space + 1, versioned ? last : end);
        }
        if (!has(Layout.TARGET) && !needsPath) {
            return true;
        }
        if (!has(Layout.TARGET)) {
            return problem("path: missing (expected: the path of the request)");
        }
        return methodIsPlain() ? split() : problem("method: invalid (expected: capital letters, such as GET)");
    }

    private boolean split() {
        byte[] line = base[Layout.TARGET];
        int start = from[Layout.TARGET];
        int end = to[Layout.TARGET];
        int fragment = indexOf(line, start, end, '#');
        int target = fragment < 0 ? end : fragment;
        int mark = indexOf(line, start, target, '?');
        if (mark >= 0 && mark + 1 < target) {
            put(Layout.QUERY, 0, line, mark + 1, target);
        }
        int path = mark < 0 ? target : mark;
        to[Layout.TARGET] = path;
        if (line[start] != '/' && !has(Layout.HOST)) {
            host(line, start, path);
        }
        return path > start || problem("path: empty (expected: a path that begins with /)");
    }

    /** Reads the host from {@code http://host/path}. */
    private void host(byte[] line, int start, int end) {
        int colon = indexOf(line, start, end, ':');
        int host = colon + 3;
        if (colon > 0 && host < end && line[colon + 1] == '/' && line[colon + 2] == '/') {
            int slash = indexOf(line, host, end, '/');
            put(Layout.HOST, LOWEST_RANK - 1, line, host, slash < 0 ? end : slash);
        }
    }

    private boolean methodIsPlain() {
        if (!has(Layout.METHOD)) {
            return true;
        }
        int start = from[Layout.METHOD];
        boolean plain = to[Layout.METHOD] - start <= 32;
        for (int i = start; plain && i < to[Layout.METHOD]; i++) {
            byte c = base[Layout.METHOD][i];
            plain = c >= 'A' && c <= 'Z';
        }
        return plain;
    }

    private long duration() {
        if (has(Layout.DURATION_MILLIS)) {
            return within(decimal(Layout.DURATION_MILLIS, 1_000));
        }
        long sum = decimal(Layout.DURATION, MICROS);
        for (int part = Layout.DURATION_2; part <= Layout.DURATION_3 && sum >= 0; part++) {
            long more = has(part) ? decimal(part, MICROS) : 0;
            sum = more < 0 ? more : sum + more;
        }
        return within(sum);
    }

    private static long within(long micros) {
        return micros > LONGEST_MICROS ? LoggedRequest.UNKNOWN : micros;
    }

    /** Reads a decimal number, times a unit in microseconds; unknown if it is negative or not a number. */
    private long decimal(int slot, long unit) {
        if (!has(slot)) {
            return LoggedRequest.UNKNOWN;
        }
        long value = 0;
        long scale = 0;
        for (int i = from[slot]; i < to[slot]; i++) {
            byte c = base[slot][i];
            if (c == '.' && scale == 0) {
                scale = 1;
            } else if (c < '0' || c > '9' || value > Long.MAX_VALUE / (20 * MICROS)) {
                return LoggedRequest.UNKNOWN;
            } else if (scale < MICROS) {
                value = value * 10 + c - '0';
                scale *= 10;
            }
        }
        return value * unit / Math.max(1, scale);
    }

    /** Reads a whole number of a few digits; unknown if it is anything else. */
    private long number(int slot, int mostDigits) {
        if (!has(slot) || to[slot] - from[slot] > mostDigits) {
            return LoggedRequest.UNKNOWN;
        }
        long value = 0;
        for (int i = from[slot]; i < to[slot]; i++) {
            byte c = base[slot][i];
            if (c < '0' || c > '9') {
                return LoggedRequest.UNKNOWN;
            }
            value = value * 10 + c - '0';
        }
        return value;
    }

    static int indexOf(byte[] in, int start, int end, char c) {
        for (int i = start; i < end; i++) {
            if (in[i] == c) {
                return i;
            }
        }
        return -1;
    }

    private static int lastIndexOf(byte[] in, int start, int end, char c) {
        for (int i = end - 1; i >= start; i--) {
            if (in[i] == c) {
                return i;
            }
        }
        return -1;
    }
}
