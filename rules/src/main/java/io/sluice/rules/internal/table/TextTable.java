package io.sluice.rules.internal.table;

/**
 * Maps a place and a text to a number. This is one table for all nodes of an index; a place stands for one of their tables. Open
 * addressing over one array of hashes and addresses, at most half full. The place, the number and the text are in the arena, at
 * that address. Does not change once it is filled.
 *
 * <p>A {@code HashMap} would need objects for each entry; {@link Arena} describes their cost.
 */
public final class TextTable {

    /** The result if no number is stored. Stored numbers are never negative. */
    public static final int NONE = -1;

    private static final int FIELDS = 2;
    private static final int RECORD = 1;

    private static final int FIRST_ROOM = 1 << 20;

    private static final int FREE = 0;
    private static final int VALUE = 1;
    private static final int TEXT = 2;

    private final Arena arena;
    private int[] slots;
    private int shift;
    private int size;
    private int places;
    private int longest;

    /**
     * Creates a table.
     *
     * @param texts the approximate number of texts that will be stored
     */
    TextTable(Arena arena, int texts) {
        int bits = Integer.SIZE - Integer.numberOfLeadingZeros(2 * Math.min(FIRST_ROOM, texts) | 1);
        this.arena = arena;
        this.slots = new int[FIELDS << bits];
        this.shift = Integer.SIZE - bits;
    }

    /** Returns a new place that has no texts yet. */
    public int newPlace() {
        return places++;
    }

    int get(int place, String text) {
        return get(place, SecretHash.mixed(hash(text), place), text, 0, text.length());
    }

    /**
     * Looks up a part of a text.
     *
     * @param code the hash of the part, {@linkplain SecretHash#mixed mixed} with the place
     */
    int get(int place, int code, String text, int from, int to) {
        int record = slots[slot(place, code, text, from, to) + RECORD];
        return record == FREE ? NONE : arena.word(record + VALUE);
    }

    /** Reads the words that {@link #get} will probably read, to bring them into the cache. The return value has no meaning. */
    int announce(int code) {
        return arena.word(slots[start(code) + RECORD]);
    }

    /** Returns whether a text is longer than all stored texts. */
    public boolean isTooLong(String text) {
        return text.length() > longest;
    }

    public void put(int place, String text, int value) {
        put(place, hash(text), text, value);
    }

    /** Stores a number, replacing the old number if there is one. */
    void put(int place, long hash, String text, int value) {
        int code = SecretHash.mixed(hash, place);
        int slot = slot(place, code, text, 0, text.length());
        if (slots[slot + RECORD] != FREE) {
            arena.set(slots[slot + RECORD] + VALUE, value);
            return;
        }
        if (++size * 2 * FIELDS > slots.length) {
            grow();
            slot = slot(place, code, text, 0, text.length());
        }
        arena.together(TEXT + Arena.words(text));
        slots[slot] = code;
        slots[slot + RECORD] = arena.end();
        arena.add(place);
        arena.add(value);
        arena.addText(text);
        longest = Math.max(longest, text.length());
    }

    /** Returns the slot that has the text, or a free slot for it. */
    private int slot(int place, int code, String text, int from, int to) {
        int slot = start(code);
        while (slots[slot + RECORD] != FREE
                && !(slots[slot] == code && is(slots[slot + RECORD], place, text, from, to))) {
            slot = next(slot);
        }
        return slot;
    }

    private boolean is(int record, int place, String text, int from, int to) {
        return arena.word(record) == place && arena.isText(record + TEXT, text, from, to);
    }

    private static long hash(String text) {
        return SecretHash.of(text, 0, text.length());
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
            if (old[i + RECORD] != FREE) {
                int slot = start(old[i]);
                while (slots[slot + RECORD] != FREE) {
                    slot = next(slot);
                }
                slots[slot] = old[i];
                slots[slot + RECORD] = old[i + RECORD];
            }
        }
    }
}
