package io.sluice.rules.internal.table;

import java.util.Arrays;

/**
 * A sequence of words that contains texts, branches of paths and leaves. All data that a match needs of a scope is written
 * together and stays together. So with very many scopes a match costs few cache misses of the processor; each object would cost
 * one.
 *
 * <p>Addresses are never 0. Does not change once it is filled.
 */
public final class Arena {

    private static final int CHARS = 2;

    /** The words in one cache line. The processor soon also reads the other line of a pair. */
    private static final int LINE = 16;

    /** The words before the first element of a large array. */
    private static final int HEADER = 4;

    /** The words that a key usually takes. */
    private static final int USUAL = 16;

    private static final int FIRST_ROOM = 1 << 24;

    private int[] words;
    private int size = 1;

    private Arena(int room) {
        this.words = new int[room];
    }

    /** Creates an arena with room for approximately this many keys. */
    static Arena forKeys(int keys) {
        return new Arena((int) Math.min(FIRST_ROOM, 8 + (long) USUAL * keys));
    }

    /** Returns the address of the next word to be written. */
    public int end() {
        return size;
    }

    /** Aligns the next words so that they lie in one cache line if they fit, otherwise in one pair of lines. */
    public void together(int count) {
        int unit = count <= LINE ? LINE : 2 * LINE;
        int used = (size + HEADER) % unit;
        if (count <= unit && used + count > unit) {
            for (int i = used; i < unit; i++) {
                add(0);
            }
        }
    }

    public void add(int word) {
        if (size == words.length) {
            words = Arrays.copyOf(words, Math.multiplyExact(size, 2));
        }
        words[size++] = word;
    }

    public int word(int at) {
        return words[at];
    }

    void set(int at, int word) {
        words[at] = word;
    }

    /** Returns the number of words that a text takes. */
    static int words(String text) {
        return 1 + (text.length() + 1) / CHARS;
    }

    /** Writes the length of a text and two characters per word. Returns its address. */
    public int addText(String text) {
        int at = size;
        add(text.length());
        for (int i = 0; i < text.length(); i += CHARS) {
            add(pair(text, i, text.length()));
        }
        return at;
    }

    /** Returns whether the text at this address equals a part of another text. */
    public boolean isText(int at, String text, int from, int to) {
        if (words[at] != to - from) {
            return false;
        }
        int word = at + 1;
        for (int i = from; i < to; i += CHARS) {
            if (words[word++] != pair(text, i, to)) {
                return false;
            }
        }
        return true;
    }

    public void trim() {
        words = Arrays.copyOf(words, size);
    }

    private static int pair(String text, int at, int end) {
        return at + 1 < end ? text.charAt(at) | text.charAt(at + 1) << Character.SIZE : text.charAt(at);
    }
}
