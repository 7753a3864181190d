package io.sluice.rules.internal.table;

import java.util.Arrays;

/**
 * Collects the lookups of one request and then answers them together. With very many scopes, the tables are not in the processor's caches;
 * the lookups then wait for memory at the same time instead of one after another. Not thread-safe.
 *
 * <p>Code that handles an answer may add lookups of its own. It gets their answers before the next answer is given.
 */
public final class LookupBatch {

    private static final int FIELDS = 5;
    private static final int CODE = 1;
    private static final int FROM = 2;
    private static final int TO = 3;
    private static final int DEPTH = 4;

    /** Marks a lookup whose answer is not the root of a tree. */
    private static final int NO_TREE = -1;

    private final SharedTables tables;
    private int[] words = new int[12 * FIELDS];
    private String[] texts = new String[12];
    private int size;

    /** A value that is never read. It is written only because the JVM would otherwise remove the reads of {@link #announce}. */
    @SuppressWarnings("UnusedVariable")
    private int announced;

    public LookupBatch(SharedTables tables) {
        this.tables = tables;
    }

    /** Returns the number of open lookups. Later lookups come after them. */
    public int open() {
        return size;
    }

    /** Adds a lookup whose result is the answer. */
    public void ask(int place, String text) {
        ask(place, SecretHash.of(text, 0, text.length()), text, 0, text.length());
    }

    /** Adds a lookup for a part of a text. */
    void ask(int place, long hash, String text, int from, int to) {
        ask(place, hash, text, from, to, NO_TREE);
    }

    /** Adds a lookup whose result is the tree for the path after this many segments. */
    void askTree(int place, long hash, String path, int to, int depth) {
        ask(place, hash, path, 0, to, depth);
    }

    /** Answers all lookups after the first {@code from}. Returns the number of steps in addition to one per lookup. */
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

    /** Starts the reads of these lookups. It is as short as possible, so that the processor runs all reads at the same time. */
    private void announce(int from, int to) {
        int read = 0;
        for (int i = from; i < to; i++) {
            read += tables.texts().announce(words[i * FIELDS + CODE]);
        }
        announced += read;
    }
}
