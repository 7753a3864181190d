package io.sluice.replay.advice;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A number for each caller, by 64-bit hashes of their keys. When the room that all tables share is used up, new callers share one
 * number, and {@link #isPartial} is true. Not thread-safe.
 */
final class CallerTable {

    private static final int SMALLEST = 16;

    /** The hash under which all callers without room share a number. No other caller has this hash. */
    private static final long OTHERS = 1;

    private final Room room;
    private long[] hashes = {};
    private long[] numbers = {};
    private int size;
    private boolean partial;

    /** The number of callers that all tables together may hold. */
    static final class Room {

        private long left;

        Room(long most) {
            this.left = most;
        }
    }

    CallerTable(Room room) {
        this.room = room;
    }

    /** Raises the number of a caller, unless it is higher. */
    void raise(long hash, long number) {
        int at = find(hash);
        numbers[at] = Math.max(numbers[at], number);
    }

    /** Returns the number of a caller, or 0 if the caller has none. */
    long get(long hash) {
        if (size == 0) {
            return 0;
        }
        int at = place(hashes, usable(hash));
        return hashes[at] == 0 ? 0 : numbers[at];
    }

    private int find(long hash) {
        if ((size + 1) * 2 >= hashes.length) {
            grow();
        }
        long value = usable(hash);
        int at = place(hashes, value);
        if (hashes[at] == value) {
            return at;
        }
        if (room.left <= 0) {
            partial = true;
            value = OTHERS;
            at = place(hashes, value);
            if (hashes[at] == value) {
                return at;
            }
        }
        room.left--;
        hashes[at] = value;
        size++;
        return at;
    }

    private static long usable(long hash) {
        return hash == 0 || hash == OTHERS ? 2 : hash;
    }

    private void grow() {
        long[] oldHashes = hashes;
        long[] oldNumbers = numbers;
        hashes = new long[Math.max(SMALLEST, 2 * oldHashes.length)];
        numbers = new long[hashes.length];
        for (int i = 0; i < oldHashes.length; i++) {
            if (oldHashes[i] != 0) {
                int at = place(hashes, oldHashes[i]);
                hashes[at] = oldHashes[i];
                numbers[at] = oldNumbers[i];
            }
        }
    }

    private static int place(long[] in, long hash) {
        int at = (int) (hash ^ (hash >>> 32)) & (in.length - 1);
        while (in[at] != 0 && in[at] != hash) {
            at = (at + 1) & (in.length - 1);
        }
        return at;
    }

    int size() {
        return size;
    }

    /** Returns whether callers share a number. */
    boolean isPartial() {
        return partial;
    }

    /** Returns all numbers, the highest first. */
    long[] descending() {
        long[] all = new long[size];
        int next = 0;
        for (int i = 0; i < hashes.length; i++) {
            if (hashes[i] != 0) {
                all[next++] = -numbers[i];
            }
        }
        Arrays.sort(all);
        for (int i = 0; i < size; i++) {
            all[i] = -all[i];
        }
        return all;
    }

    /** Receives a caller and its number. */
    interface Visitor {
        void visit(long hash, long number);
    }

    void forEach(Visitor visitor) {
        for (int i = 0; i < hashes.length; i++) {
            if (hashes[i] != 0 && hashes[i] != OTHERS) {
                visitor.visit(hashes[i], numbers[i]);
            }
        }
    }

    /**
     * Returns the hash of a caller. It is the same in each run.
     *
     * @param address the address that identifies the caller if the limit counts all callers together; null if there is none
     */
    static long hash(String key, @Nullable String address) {
        String text = key.isEmpty() && address != null ? address : key;
        long hash = 0xcbf29ce484222325L;
        for (int i = 0; i < text.length(); i++) {
            hash = (hash ^ text.charAt(i)) * 0x100000001b3L;
        }
        hash = (hash ^ (hash >>> 33)) * 0xff51afd7ed558ccdL;
        hash = (hash ^ (hash >>> 33)) * 0xc4ceb9fe1a85ec53L;
        return hash ^ (hash >>> 33);
    }
}
