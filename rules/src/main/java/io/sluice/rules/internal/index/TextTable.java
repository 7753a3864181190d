package io.sluice.rules.internal.index;

/**
 * Numbers by place and text: the tables of all nodes of an index in one, where a place stands for each of them. Open addressing
 * over one array, at most half full; a look-up that finds nothing reads one line of it, one that finds something reads the text
 * besides. Does not change once it is filled.
 */
final class TextTable {

    /** Nothing is filed there; all that is filed is not negative. */
    static final int NONE = -1;

    private static final int FIELDS = 4;
    private static final int PLACE = 1;
    private static final int TEXT = 2;
    private static final int VALUE = 3;

    private final Arena arena;
    private int[] slots = new int[2 * FIELDS];
    private int shift = Integer.SIZE - 1;
    private int size;
    private int places;
    private int longest;

    TextTable(Arena arena) {
        this.arena = arena;
    }

    /** One that has no text yet. */
    int newPlace() {
        return places++;
    }

    int get(int place, String text) {
        return text.length() > longest
                ? NONE
                : get(place, SecretHash.of(text, 0, text.length()), text, 0, text.length());
    }

    /** A part of a text. */
    int get(int place, long hash, String text, int from, int to) {
        int slot = slot(place, hash, text, from, to);
        return slots[slot + TEXT] == 0 ? NONE : slots[slot + VALUE];
    }

    void put(int place, String text, int value) {
        put(place, SecretHash.of(text, 0, text.length()), text, value);
    }

    /** In place of what was filed there, if anything was. */
    void put(int place, long hash, String text, int value) {
        int slot = slot(place, hash, text, 0, text.length());
        if (slots[slot + TEXT] == 0) {
            if (++size * 2 * FIELDS > slots.length) {
                grow();
                slot = slot(place, hash, text, 0, text.length());
            }
            slots[slot] = SecretHash.mixed(hash, place);
            slots[slot + PLACE] = place;
            slots[slot + TEXT] = arena.addText(text);
            longest = Math.max(longest, text.length());
        }
        slots[slot + VALUE] = value;
    }

    /** Where it is, or where there is room for it. */
    private int slot(int place, long hash, String text, int from, int to) {
        int code = SecretHash.mixed(hash, place);
        int slot = start(code);
        while (slots[slot + TEXT] != 0
                && !(slots[slot] == code
                        && slots[slot + PLACE] == place
                        && arena.isText(slots[slot + TEXT], text, from, to))) {
            slot = next(slot);
        }
        return slot;
    }

    private int start(int code) {
        return (code >>> shift) * FIELDS;
    }

    private int next(int slot) {
        return (slot + FIELDS) & (slots.length - 1);
    }

    private void grow() {
        int[] old = slots;
        slots = new int[Math.multiplyExact(old.length, 2)];
        shift--;
        for (int i = 0; i < old.length; i += FIELDS) {
            if (old[i + TEXT] != 0) {
                int slot = start(old[i]);
                while (slots[slot + TEXT] != 0) {
                    slot = next(slot);
                }
                System.arraycopy(old, i, slots, slot, FIELDS);
            }
        }
    }
}
