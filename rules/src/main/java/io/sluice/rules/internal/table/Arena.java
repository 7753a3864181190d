package io.sluice.rules.internal.table;

import java.util.Arrays;

/**
 * Words one after another: texts, branches of paths and leaves. What a match needs of a scope was written together and lies
 * together, so that with very many scopes it costs few misses of the processor's caches; objects would cost one for each.
 *
 * <p>Addresses are never 0. Does not change once it is filled.
 */
public final class Arena {

    private static final int CHARS = 2;

    /** What the processor reads at once, in words; it reads the other one of a pair soon after. */
    private static final int LINE = 16;

    /** Before the first word, in a large array. */
    private static final int HEADER = 4;

    /** What a key usually takes, in words. */
    private static final int USUAL = 16;

    private static final int FIRST_ROOM = 1 << 24;

    private int[] words;
    private int size = 1;

    private Arena(int room) {
        this.words = new int[room];
    }

    /** With room for about so many keys. */
    static Arena forKeys(int keys) {
        return new Arena((int) Math.min(FIRST_ROOM, 8 + (long) USUAL * keys));
    }

    /** The address of what is written next. */
    public int end() {
        return size;
    }

    /** What is written next, so many words, is to lie in one line if it fits in, or else in one pair of lines. */
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

    /** How many words a text takes. */
    static int words(String text) {
        return 1 + (text.length() + 1) / CHARS;
    }

    /** Writes its length and two characters in each word, and returns its address. */
    public int addText(String text) {
        int at = size;
        add(text.length());
        for (int i = 0; i < text.length(); i += CHARS) {
            add(pair(text, i, text.length()));
        }
        return at;
    }

    /** Whether the text at this address is that part of another. */
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
