package io.sluice.rules.pattern;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * A pattern for text: {@code *} stands for any run of characters, also none, {@code ?} for exactly one; {@code \*}, {@code \?}
 * and {@code \\} stand for themselves. Immutable.
 *
 * <p>Matching takes time in proportion to the text, whatever the pattern: what lies before the first and behind the last
 * wildcard is compared as it is, and for what is between them all positions that the pattern can be at are kept as bits of
 * words and moved together, character by character. Nothing is ever tried twice.
 */
public final class Glob {

    /** In characters: each 64 of them cost one more step for each character of the text. */
    static final int LONGEST = 1_024;

    private static final int ANY = -1;
    private static final int RUN = -2;

    private final String text;
    private final String prefix;
    private final String suffix;
    private final List<String> inner;
    private final int between;
    private final long[] stay;
    private final long[] any;
    private final int[] letters;
    private final long[][] moves;

    private Glob(String text, int[] parts) {
        this.text = text;
        int first = 0;
        while (parts[first] >= 0) {
            first++;
        }
        int last = parts.length;
        while (parts[last - 1] >= 0) {
            last--;
        }
        this.prefix = new String(parts, 0, first);
        this.suffix = new String(parts, last, parts.length - last);
        int[] wild = Arrays.copyOfRange(parts, first, last);
        this.inner = runs(wild);
        this.between = (int) Arrays.stream(wild).filter(part -> part != RUN).count();
        int words = between / Long.SIZE + 1;
        this.stay = new long[words];
        this.any = new long[words];
        this.letters = Arrays.stream(wild)
                .filter(part -> part >= 0)
                .distinct()
                .sorted()
                .toArray();
        this.moves = new long[letters.length][words];
        compile(wild);
    }

    private void compile(int[] wild) {
        int at = 0;
        for (int part : wild) {
            if (part == RUN) {
                set(stay, at);
                continue;
            }
            if (part == ANY) {
                set(any, at);
            } else {
                set(moves[Arrays.binarySearch(letters, part)], at);
            }
            at++;
        }
        for (long[] move : moves) {
            for (int word = 0; word < move.length; word++) {
                move[word] |= any[word];
            }
        }
    }

    /**
     * Reads a pattern; empty if it has no wildcard, so that it is a {@link #literal}. The exception's message says only what
     * would do.
     */
    public static Optional<Glob> parse(String text) {
        int[] parts = parts(text);
        boolean wild = Arrays.stream(parts).anyMatch(part -> part < 0);
        if (wild && parts.length > LONGEST) {
            throw new IllegalArgumentException("at most " + LONGEST + " characters in a pattern");
        }
        return wild ? Optional.of(new Glob(text, parts)) : Optional.empty();
    }

    /** The text that a pattern without wildcards stands for. */
    public static String literal(String text) {
        int[] parts = parts(text);
        return new String(parts, 0, parts.length);
    }

    /** The pattern that stands for just this text. */
    public static String escaped(String literal) {
        return literal.replace("\\", "\\\\").replace("*", "\\*").replace("?", "\\?");
    }

    public boolean matches(String value) {
        int from = prefix.length();
        int to = value.length() - suffix.length();
        return to - from >= between && value.startsWith(prefix) && value.endsWith(suffix) && matches(value, from, to);
    }

    /** A text that matches. */
    public String example() {
        StringBuilder example = new StringBuilder();
        for (int part : parts(text)) {
            example.appendCodePoint(part < 0 ? 'x' : part);
        }
        return example.toString();
    }

    /** Whether any text that starts and ends right matches, if it is long enough for both. */
    public boolean isOneStar() {
        return between == 0;
    }

    /** What every text that matches starts with. */
    public String prefix() {
        return prefix;
    }

    /** What every text that matches ends with, behind the prefix. */
    public String suffix() {
        return suffix;
    }

    /** What every text that matches has between prefix and suffix, in this order and without overlap. */
    public List<String> inner() {
        return inner;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Glob glob && glob.text.equals(text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    @Override
    public String toString() {
        return text;
    }

    private boolean matches(String value, int from, int to) {
        boolean anyEnd = isSet(stay, between);
        if (between == 0) {
            return anyEnd || from == to;
        }
        long[] positions = new long[stay.length];
        positions[0] = 1;
        for (int at = from; at < to; ) {
            int letter = value.codePointAt(at);
            at += Character.charCount(letter);
            if (!move(positions, letter)) {
                return false;
            }
            if (anyEnd && isSet(positions, between)) {
                return true;
            }
        }
        return isSet(positions, between);
    }

    private boolean move(long[] positions, int letter) {
        int known = Arrays.binarySearch(letters, letter);
        long[] allowed = known < 0 ? any : moves[known];
        long carried = 0;
        long alive = 0;
        for (int word = 0; word < positions.length; word++) {
            long moving = positions[word] & allowed[word];
            positions[word] = (moving << 1) | carried | (positions[word] & stay[word]);
            carried = moving >>> (Long.SIZE - 1);
            alive |= positions[word];
        }
        return alive != 0;
    }

    private static int[] parts(String text) {
        int[] given = text.codePoints().toArray();
        int[] parts = new int[given.length];
        int size = 0;
        for (int i = 0; i < given.length; i++) {
            if (given[i] == '*') {
                if (size == 0 || parts[size - 1] != RUN) {
                    parts[size++] = RUN;
                }
            } else if (given[i] == '?') {
                parts[size++] = ANY;
            } else if (given[i] == '\\') {
                i++;
                if (i == given.length || (given[i] != '*' && given[i] != '?' && given[i] != '\\')) {
                    throw new IllegalArgumentException("\\\\ for a backslash, \\* for a star, \\? for a question mark");
                }
                parts[size++] = given[i];
            } else {
                parts[size++] = given[i];
            }
        }
        return Arrays.copyOf(parts, size);
    }

    private static List<String> runs(int[] wild) {
        List<String> runs = new ArrayList<>();
        StringBuilder run = new StringBuilder();
        for (int part : wild) {
            if (part >= 0) {
                run.appendCodePoint(part);
            } else if (!run.isEmpty()) {
                runs.add(run.toString());
                run.setLength(0);
            }
        }
        return List.copyOf(runs);
    }

    private static void set(long[] bits, int bit) {
        bits[bit / Long.SIZE] |= 1L << bit;
    }

    private static boolean isSet(long[] bits, int bit) {
        return (bits[bit / Long.SIZE] & (1L << bit)) != 0;
    }
}
