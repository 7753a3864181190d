package io.sluice.rules.internal.index;

import io.sluice.rules.Network;
import java.util.Arrays;
import java.util.Collection;

/**
 * Numbers by block of addresses: one look-up for each prefix length that occurs. So it costs at most 33 steps for IPv4
 * and 129 for IPv6, however many blocks there are. Open addressing over one array, at most half full. Does not change once it
 * is filled.
 */
public final class BlockTable {

    private static final int NONE = TextTable.NONE;
    private static final int FIELDS = 4;
    private static final int LOW = 1;
    private static final int KIND = 2;
    private static final int VALUE = 3;

    /** Of an empty slot; those of blocks are not 0. */
    private static final int FREE = 0;

    private static final int[] NO_LENGTHS = {};

    private long[] slots = new long[2 * FIELDS];
    private int size;
    private int[] lengthsOfV4 = NO_LENGTHS;
    private int[] lengthsOfV6 = NO_LENGTHS;

    /** To be asked whether it {@linkplain #has has} an address. */
    public static BlockTable of(Collection<Network> networks) {
        BlockTable table = new BlockTable();
        networks.forEach(network -> table.put(network, 0));
        return table;
    }

    void put(Network network, int value) {
        byte[] address = network.address();
        int length = network.prefixLength();
        if (address.length == 4) {
            lengthsOfV4 = with(lengthsOfV4, length);
        } else {
            lengthsOfV6 = with(lengthsOfV6, length);
        }
        if ((size + 1) * 2 * FIELDS > slots.length) {
            grow();
        }
        long high = high(address, length);
        long low = low(address, length);
        int slot = slot(high, low, kind(address, length));
        size += slots[slot + KIND] == FREE ? 1 : 0;
        slots[slot] = high;
        slots[slot + LOW] = low;
        slots[slot + KIND] = kind(address, length);
        slots[slot + VALUE] = value;
    }

    /** Whether there is a block with this address, of 4 or 16 bytes. */
    public boolean has(byte[] address) {
        for (int length : lengths(address)) {
            if (get(address, length) != NONE) {
                return true;
            }
        }
        return false;
    }

    /** Of an address of no bytes there is nothing. */
    void visit(byte[] address, Found found) {
        for (int length : lengths(address)) {
            int value = get(address, length);
            if (value != NONE) {
                found.found(value);
            }
        }
    }

    /** See {@link TextTable#announce}. */
    int announce(byte[] address) {
        long read = 0;
        for (int length : lengths(address)) {
            read += slots[start(high(address, length), low(address, length), kind(address, length))];
        }
        return (int) read;
    }

    private int get(byte[] address, int length) {
        int slot = slot(high(address, length), low(address, length), kind(address, length));
        return slots[slot + KIND] == FREE ? NONE : (int) slots[slot + VALUE];
    }

    private int slot(long high, long low, long kind) {
        int slot = start(high, low, kind);
        while (slots[slot + KIND] != FREE
                && !(slots[slot] == high && slots[slot + LOW] == low && slots[slot + KIND] == kind)) {
            slot = (slot + FIELDS) & (slots.length - 1);
        }
        return slot;
    }

    private int start(long high, long low, long kind) {
        int code = SecretHash.mixed(SecretHash.spread(SecretHash.START ^ high, low), kind);
        return (code * FIELDS) & (slots.length - 1);
    }

    private void grow() {
        long[] old = slots;
        slots = new long[Math.multiplyExact(old.length, 2)];
        for (int i = 0; i < old.length; i += FIELDS) {
            if (old[i + KIND] != FREE) {
                System.arraycopy(old, i, slots, slot(old[i], old[i + LOW], old[i + KIND]), FIELDS);
            }
        }
    }

    private int[] lengths(byte[] address) {
        return address.length == 4 ? lengthsOfV4 : address.length == 16 ? lengthsOfV6 : NO_LENGTHS;
    }

    private static int kind(byte[] address, int length) {
        return address.length << Byte.SIZE | length;
    }

    private static long high(byte[] address, int length) {
        return masked(address.length == 4 ? word(address, 0, 4) << 32 : word(address, 0, 8), length);
    }

    private static long low(byte[] address, int length) {
        return address.length == 4 ? 0 : masked(word(address, 8, 8), length - Long.SIZE);
    }

    private static long word(byte[] address, int from, int count) {
        long word = 0;
        for (int i = 0; i < count; i++) {
            word = (word << 8) | (address[from + i] & 0xff);
        }
        return word;
    }

    private static long masked(long word, int bits) {
        return bits <= 0 ? 0 : bits >= Long.SIZE ? word : word & (-1L << (Long.SIZE - bits));
    }

    private static int[] with(int[] sorted, int length) {
        int at = Arrays.binarySearch(sorted, length);
        if (at >= 0) {
            return sorted;
        }
        int[] more = Arrays.copyOf(sorted, sorted.length + 1);
        more[sorted.length] = length;
        Arrays.sort(more);
        return more;
    }
}
