package io.sluice.rules.internal.table;

import java.util.Arrays;

/**
 * Look-ups of one request, collected and then answered. With very many scopes the tables are not in the processor's caches: then
 * look-ups wait for memory together, and not one after another. For one thread.
 *
 * <p>What an answer leads to may ask on its own; it has its answers before the next one is given.
 */
public final class LookupBatch {

    private static final int FIELDS = 5;
    private static final int CODE = 1;
    private static final int FROM = 2;
    private static final int TO = 3;
    private static final int DEPTH = 4;

    /** The answer is not the root of a tree. */
    private static final int NO_TREE = -1;

    private final SharedTables tables;
    private int[] words = new int[12 * FIELDS];
    private String[] texts = new String[12];
    private int size;

    /** Written for nobody, because what nobody keeps is not read. */
    @SuppressWarnings("UnusedVariable")
    private int announced;

    public LookupBatch(SharedTables tables) {
        this.tables = tables;
    }

    /** How many are open: those of who asks from now on come behind them. */
    public int open() {
        return size;
    }

    /** What is found is the answer. */
    public void ask(int place, String text) {
        ask(place, SecretHash.of(text, 0, text.length()), text, 0, text.length());
    }

    /** Of a part of a text. */
    void ask(int place, long hash, String text, int from, int to) {
        ask(place, hash, text, from, to, NO_TREE);
    }

    /** What is found is the tree for what follows behind so many segments. */
    void askTree(int place, long hash, String path, int to, int depth) {
        ask(place, hash, path, 0, to, depth);
    }

    /** Answers all but so many, and returns how many steps it took besides one for each. */
    public int answer(int from, LookupSubject subject, HitListener found) {
        int to = size;
        if (to - from > 1) {
            announce(from, to);
        }
        int steps = 0;
        for (int i = from; i < to; i++) {
            int at = i * FIELDS;
            String text = texts[i];
            int depth = words[at + DEPTH];
            int value = tables.texts().get(words[at], words[at + CODE], text, words[at + FROM], words[at + TO]);
            if (value != TextTable.NONE && depth == NO_TREE) {
                found.found(value);
            } else if (value != TextTable.NONE) {
                steps += tables.routes().visit(value, subject.segments(text), depth, found);
            }
        }
        size = from;
        return steps;
    }

    private void ask(int place, long hash, String text, int from, int to, int depth) {
        if (size == texts.length) {
            texts = Arrays.copyOf(texts, size * 2);
            words = Arrays.copyOf(words, size * 2 * FIELDS);
        }
        texts[size] = text;
        int at = size++ * FIELDS;
        words[at] = place;
        words[at + CODE] = SecretHash.mixed(hash, place);
        words[at + FROM] = from;
        words[at + TO] = to;
        words[at + DEPTH] = depth;
    }

    /** As short as can be, so that the processor has all of them under way at once. */
    private void announce(int from, int to) {
        int read = 0;
        for (int i = from; i < to; i++) {
            read += tables.texts().announce(words[i * FIELDS + CODE]);
        }
        announced += read;
    }
}
