package io.sluice.rules.internal.table;

/** Maps the start or the end of a text to numbers, with one lookup for each length that occurs. */
final class EndsTable {

    private final boolean start;
    private final TextTable texts;
    private final LengthTable places;

    private EndsTable(boolean start, TextTable texts) {
        this.start = start;
        this.texts = texts;
        this.places = new LengthTable(texts);
    }

    static EndsTable ofStarts(TextTable texts) {
        return new EndsTable(true, texts);
    }

    static EndsTable ofEnds(TextTable texts) {
        return new EndsTable(false, texts);
    }

    /** Returns the number for a start or end, or {@link TextTable#NONE} if there is none. */
    int get(String end) {
        int place = places.of(end.length());
        return texts.get(place, SecretHash.mixed(hash(end), place), end, 0, end.length());
    }

    void put(String end, int value) {
        texts.put(places.of(end.length()), hash(end), end, value);
    }

    void ask(String text, LookupBatch questions) {
        each(text, (place, hash, from, to) -> questions.ask(place, hash, text, from, to));
    }

    void visit(String text, HitListener found) {
        each(text, (place, hash, from, to) -> {
            int value = texts.get(place, SecretHash.mixed(hash, place), text, from, to);
            if (value != TextTable.NONE) {
                found.found(value);
            }
        });
    }

    private void each(String text, End end) {
        long hash = SecretHash.START;
        int hashed = 0;
        for (int i = 0; i < places.size() && places.number(i) <= text.length(); i++) {
            int length = places.number(i);
            hash = hash(text, hash, hashed, length);
            hashed = length;
            int from = start ? 0 : text.length() - length;
            end.at(places.place(i), hash, from, from + length);
        }
    }

    private interface End {
        void at(int place, long hash, int from, int to);
    }

    /** Continues the hash from the characters hashed so far up to this many. */
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
