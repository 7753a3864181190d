package io.sluice.rules.internal.table;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Maps texts to values and finds the texts that occur in a longer text. A lookup moves a window of each length that occurs over
 * the text and checks a rolling hash. This takes a few steps per character and copies nothing.
 *
 * <p>A text is stored under its last characters, as many as the longest window that fits, so that there are few distinct
 * lengths.
 */
final class SubstringTable<V> {

    private static final int[] LENGTHS = {1, 2, 3, 4, 6, 8, 12, 16, 32};

    private final List<Window<V>> windows = new ArrayList<>();

    /**
     * Stores a value under the text that has the fewest values so far; if several texts have the fewest, under the longest of
     * them.
     *
     * @param texts the texts, at least one
     */
    void add(List<String> texts, V value) {
        List<V> best = values(texts.get(0));
        int length = texts.get(0).length();
        for (String text : texts) {
            List<V> values = values(text);
            if (values.size() < best.size() || (values.size() == best.size() && text.length() > length)) {
                best = values;
                length = text.length();
            }
        }
        best.add(value);
    }

    /** Passes on each value whose text occurs, and possibly other values with the same hash. */
    void visit(String text, Consumer<V> found) {
        for (Window<V> window : windows) {
            window.visit(text, found);
        }
    }

    private List<V> values(String text) {
        int at = Arrays.binarySearch(LENGTHS, text.length());
        int length = LENGTHS[at >= 0 ? at : -at - 2];
        for (Window<V> window : windows) {
            if (window.length == length) {
                return window.values(hash(text, length));
            }
        }
        Window<V> window = new Window<>(length);
        windows.add(window);
        return window.values(hash(text, length));
    }

    private static int hash(String text, int length) {
        return text.substring(text.length() - length).hashCode();
    }

    /** Maps the hash of a fixed number of characters to values. Open addressing, at most half full. */
    private static final class Window<V> {

        private final int length;
        private final int outgoing;
        private int shift = Integer.SIZE - 4;
        private int[] hashes = new int[16];

        @SuppressWarnings({"unchecked", "rawtypes"})
        private @Nullable List<V>[] slots = new List[16];

        private int size;

        Window(int length) {
            this.length = length;
            int power = 1;
            for (int i = 0; i < length; i++) {
                power *= 31;
            }
            this.outgoing = power;
        }

        List<V> values(int hash) {
            int slot = slot(hash);
            List<V> known = slots[slot];
            if (known != null) {
                return known;
            }
            List<V> fresh = new ArrayList<>(1);
            hashes[slot] = hash;
            slots[slot] = fresh;
            size++;
            if (size * 2 > slots.length) {
                grow();
            }
            return fresh;
        }

        void visit(String text, Consumer<V> found) {
            BitSet seen = new BitSet();
            int hash = 0;
            for (int i = 0; i < text.length(); i++) {
                hash = 31 * hash + text.charAt(i);
                if (i >= length) {
                    hash -= outgoing * text.charAt(i - length);
                }
                if (i >= length - 1 && slots[start(hash)] != null) {
                    tell(slot(hash), seen, found);
                }
            }
        }

        private void tell(int slot, BitSet seen, Consumer<V> found) {
            List<V> values = slots[slot];
            if (values != null && !seen.get(slot)) {
                seen.set(slot);
                values.forEach(found);
            }
        }

        private int start(int hash) {
            return (hash * 0x9E3779B9) >>> shift;
        }

        private int slot(int hash) {
            int slot = start(hash);
            while (slots[slot] != null && hashes[slot] != hash) {
                slot = (slot + 1) & (slots.length - 1);
            }
            return slot;
        }

        @SuppressWarnings({"unchecked", "rawtypes"})
        private void grow() {
            int[] oldHashes = hashes;
            List<V>[] oldSlots = slots;
            shift--;
            hashes = new int[oldHashes.length * 2];
            slots = new List[oldHashes.length * 2];
            for (int i = 0; i < oldSlots.length; i++) {
                if (oldSlots[i] != null) {
                    int slot = slot(oldHashes[i]);
                    hashes[slot] = oldHashes[i];
                    slots[slot] = oldSlots[i];
                }
            }
        }
    }
}
