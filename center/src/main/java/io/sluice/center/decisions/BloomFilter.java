package io.sluice.center.decisions;

import java.util.Arrays;

/**
 * A filter that recognizes hashes that are not in a set. All bits of a hash are in one block of 64 bytes, so a search reads only that
 * block. About one of a hundred other hashes seems to be in the set.
 */
final class BloomFilter {

    /** The size of a block in bytes. */
    static final int BLOCK = 64;

    private static final int BITS = BLOCK * 8;
    private static final int BITS_PER_HASH = 12;
    private static final int PROBES = 6;
    private static final int PROBE_BITS = 9;
    private static final long SPREAD = 0x9e3779b97f4a7c15L;

    private BloomFilter() {}

    /** Returns a filter of whole blocks. The given array is sorted in place. */
    static byte[] of(long[] hashes) {
        Arrays.sort(hashes);
        long distinct = 0;
        for (int i = 0; i < hashes.length; i++) {
            distinct += i == 0 || hashes[i] != hashes[i - 1] ? 1 : 0;
        }
        int blocks = (int) Math.max(1, (distinct * BITS_PER_HASH + BITS - 1) / BITS);
        byte[] filter = new byte[blocks * BLOCK];
        for (long hash : hashes) {
            int begin = block(hash, blocks) * BLOCK;
            for (int probe = 0; probe < PROBES; probe++) {
                int bit = bit(hash, probe);
                filter[begin + (bit >> 3)] |= (byte) (1 << (bit & 7));
            }
        }
        return filter;
    }

    /** Returns the block of a hash. */
    static int block(long hash, int blocks) {
        return (int) (((hash >>> 32) * blocks) >>> 32);
    }

    /** Returns whether a hash may be in the set. */
    static boolean mayHave(byte[] block, long hash) {
        for (int probe = 0; probe < PROBES; probe++) {
            int bit = bit(hash, probe);
            if ((block[bit >> 3] & (1 << (bit & 7))) == 0) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns the position of a bit in its block. The block is chosen by the high half of the hash. The probes are parts of a product, so
     * that they do not reuse those bits.
     */
    private static int bit(long hash, int probe) {
        return (int) ((hash * SPREAD) >>> (Long.SIZE - PROBE_BITS * (probe + 1))) & (BITS - 1);
    }
}
