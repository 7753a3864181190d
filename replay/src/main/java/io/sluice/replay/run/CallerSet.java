package io.sluice.replay.run;

/**
 * Counts distinct callers, by 64-bit hashes of their keys. Exact until the room that all sets share is used up; then {@link #isPartial} is
 * true and the count is a lower bound. Two callers with the same hash are counted once; among a million callers, the probability of this is
 * 3 in 100 million. Not thread-safe.
 */
final class CallerSet {

    private static final int SMALLEST = 16;

    private final Room room;
    private long[] hashes = {};
    private int size;
    private boolean partial;

    /** The number of callers that all sets together may hold. */
    static final class Room {

        private long left;

        Room(long most) {
            this.left = most;
        }

        private boolean take() {
            return left > 0 && left-- > 0;
        }
    }

    CallerSet(Room room) {
        this.room = room;
    }

    void add(long hash) {
        long value = hash == 0 ? 1 : hash;
        if (size * 2 >= hashes.length) {
            grow();
        }
        int at = place(hashes, value);
        if (hashes[at] == value) {
            return;
        }
        if (!room.take()) {
            partial = true;
            return;
        }
        hashes[at] = value;
        size++;
    }

    private void grow() {
        long[] more = new long[Math.max(SMALLEST, 2 * hashes.length)];
        for (long hash : hashes) {
            if (hash != 0) {
                more[place(more, hash)] = hash;
            }
        }
        hashes = more;
    }

    private static int place(long[] in, long hash) {
        int at = (int) (hash ^ (hash >>> 32)) & (in.length - 1);
        while (in[at] != 0 && in[at] != hash) {
            at = (at + 1) & (in.length - 1);
        }
        return at;
    }

    long count() {
        return size;
    }

    /** Returns whether there may be more callers than were counted. */
    boolean isPartial() {
        return partial;
    }

    /** Returns the hash of a key. It is the same in each run. */
    static long hash(String key) {
        long hash = 0xcbf29ce484222325L;
        for (int i = 0; i < key.length(); i++) {
            hash = (hash ^ key.charAt(i)) * 0x100000001b3L;
        }
        hash = (hash ^ (hash >>> 33)) * 0xff51afd7ed558ccdL;
        hash = (hash ^ (hash >>> 33)) * 0xc4ceb9fe1a85ec53L;
        return hash ^ (hash >>> 33);
    }
}
