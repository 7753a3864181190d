package io.sluice.rules.internal.table;

import java.util.Arrays;

/** The places of a table with one place for each length, depth or similar number that occurs, in ascending order. */
public final class LengthTable {

    private final TextTable texts;
    private int[] numbers = {};
    private int[] places = {};

    public LengthTable(TextTable texts) {
        this.texts = texts;
    }

    public int size() {
        return numbers.length;
    }

    public int number(int index) {
        return numbers[index];
    }

    public int place(int index) {
        return places[index];
    }

    /** Returns the place for a number, and creates it if necessary. */
    public int of(int number) {
        int known = Arrays.binarySearch(numbers, number);
        if (known >= 0) {
            return places[known];
        }
        int index = -known - 1;
        numbers = with(numbers, index, number);
        places = with(places, index, texts.newPlace());
        return places[index];
    }

    private static int[] with(int[] words, int index, int word) {
        int[] more = Arrays.copyOf(words, words.length + 1);
        System.arraycopy(words, index, more, index + 1, words.length - index);
        more[index] = word;
        return more;
    }
}
