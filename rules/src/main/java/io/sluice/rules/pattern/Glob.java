package io.sluice.rules.pattern;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * A pattern for text: {@code *} stands for any run of characters, including none, and {@code ?} for exactly one. {@code \*},
 * {@code \?} and {@code \\} stand for the characters themselves. Immutable.
 *
 * <p>Matching takes time proportional to the length of the text, for any pattern. The parts before the first and after the last wildcard
 * are compared directly. For the part in between, all positions that the pattern can be at are kept as bits in words, and are advanced
 * together, character by character. There is no backtracking.
 *
 * <p>A regular expression of the JDK backtracks: with several stars its time grows with a power of the text's length, and
 * callers choose the text.
 */
public final class Glob {

    /** The maximum length in characters. Each 64 characters of a pattern cost one more step per character of the text. */
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
        this.between = wild.length - count(wild, RUN);
        int words = between / Long.SIZE + 1;
        this.stay = new long[words];
        this.any = new long[words];
        this.letters = letters(wild);
        this.moves = new long[letters.length][words];
        compile(wild);
    }

    /** Returns the different letters of a pattern, sorted. */
    private static int[] letters(int[] wild) {
        int[] sorted = wild.clone();
        Arrays.sort(sorted);
        int size = 0;
        for (int i = 0; i < sorted.length; i++) {
            if (sorted[i] >= 0 && (i == 0 || sorted[i] != sorted[i - 1])) {
                sorted[size++] = sorted[i];
            }
        }
        return Arrays.copyOf(sorted, size);
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
     * Parses a pattern. Returns empty if it has no wildcard; it is then a {@link #literal}. The message of the exception contains only the
     * expected form.
     */
    public static Optional<Glob> parse(String text) {
        if (isLiteral(text)) {
            return Optional.empty();
        }
        int[] parts = parts(text);
        if (count(parts, ANY) + count(parts, RUN) == 0) {
            return Optional.empty();
        }
        if (parts.length > LONGEST) {
            throw new IllegalArgumentException("a pattern of at most " + LONGEST + " characters");
        }
        return Optional.of(new Glob(text, parts));
    }

    /** Returns whether a text has no character with a meaning of its own. */
    private static boolean isLiteral(String text) {
        return text.indexOf('*') < 0 && text.indexOf('?') < 0 && text.indexOf('\\') < 0;
    }

    private static int count(int[] parts, int kind) {
        int count = 0;
        for (int part : parts) {
            count += part == kind ? 1 : 0;
        }
        return count;
    }

    /** Returns the text that a pattern without wildcards stands for. */
    public static String literal(String text) {
        if (isLiteral(text)) {
            return text;
        }
        int[] parts = parts(text);
        return new String(parts, 0, parts.length);
    }

    /** Returns the pattern that matches exactly this text. */
    public static String escaped(String literal) {
        return literal.replace("\\", "\\\\").replace("*", "\\*").replace("?", "\\?");
    }

    public boolean matches(String value) {
        int from = prefix.length();
        int to = value.length() - suffix.length();
        return to - from >= between && value.startsWith(prefix) && value.endsWith(suffix) && matches(value, from, to);
    }

    /** Returns a text that matches. */
    public String example() {
        StringBuilder example = new StringBuilder();
        for (int part : parts(text)) {
            example.appendCodePoint(part < 0 ? 'x' : part);
        }
        return example.toString();
    }

    /** Returns whether every text with the right prefix and suffix matches, provided that it is long enough for both. */
    public boolean isOneStar() {
        return between == 0;
    }

    /** Returns the text that every match starts with. */
    public String prefix() {
        return prefix;
    }

    /** Returns the text that every match ends with, after the prefix. */
    public String suffix() {
        return suffix;
    }

    /** Returns the texts that every match contains between prefix and suffix, in this order and without overlap. */
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
