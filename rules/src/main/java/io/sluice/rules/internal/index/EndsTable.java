package io.sluice.rules.internal.index;

import java.util.Arrays;

/** Numbers by how a text starts, or by how it ends: one look-up for each length that occurs. */
final class EndsTable {

    private final boolean start;
    private final TextTable texts;
    private final int place;
    private int[] lengths = {};

    private EndsTable(boolean start, TextTable texts) {
        this.start = start;
        this.texts = texts;
        this.place = texts.newPlace();
    }

    static EndsTable ofStarts(TextTable texts) {
        return new EndsTable(true, texts);
    }

    static EndsTable ofEnds(TextTable texts) {
        return new EndsTable(false, texts);
    }

    /** {@link TextTable#NONE} if there is none. */
    int get(String end) {
        return texts.get(place, hash(end), end, 0, end.length());
    }

    void put(String end, int value) {
        if (Arrays.binarySearch(lengths, end.length()) < 0) {
            lengths = Arrays.copyOf(lengths, lengths.length + 1);
            lengths[lengths.length - 1] = end.length();
            Arrays.sort(lengths);
        }
        texts.put(place, hash(end), end, value);
    }

    void visit(String text, Found found) {
        long hash = SecretHash.START;
        int hashed = 0;
        for (int length : lengths) {
            if (length > text.length()) {
                return;
            }
            hash = hash(text, hash, hashed, length);
            hashed = length;
            int from = start ? 0 : text.length() - length;
            int value = texts.get(place, hash, text, from, from + length);
            if (value != TextTable.NONE) {
                found.found(value);
            }
        }
    }

    /** See {@link TextTable#announce}. */
    int announce(String text) {
        int read = 0;
        long hash = SecretHash.START;
        int hashed = 0;
        for (int length : lengths) {
            if (length > text.length()) {
                break;
            }
            hash = hash(text, hash, hashed, length);
            hashed = length;
            read += texts.announce(place, hash);
        }
        return read;
    }

    /** Of so many characters, given that of the first of them. */
    private long hash(String text, long known, int from, int to) {
        long hash = known;
        for (int i = from; i < to; i++) {
            hash = SecretHash.and(hash, text.charAt(start ? i : text.length() - 1 - i));
        }
        return hash;
    }

    private long hash(String end) {
        return hash(end, SecretHash.START, 0, end.length());
    }
}
