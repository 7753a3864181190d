package io.sluice.rules.internal.index;

/** Numbers by one segment of a path: one look-up for each depth that occurs. Does not change once it is filled. */
final class PartTable {

    private final TextTable texts;
    private final Places places;

    PartTable(TextTable texts) {
        this.texts = texts;
        this.places = new Places(texts);
    }

    void put(Key.Part part, int value) {
        texts.put(places.of(part.depth()), part.name(), value);
    }

    /** How many. */
    int ask(Segments path, Questions questions) {
        int asked = 0;
        while (asked < places.size() && places.number(asked) < path.size()) {
            path.ask(places.number(asked), places.place(asked), questions);
            asked++;
        }
        return asked;
    }
}
