package io.sluice.rules.internal.index;

import io.sluice.rules.Network;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Values by block of addresses: one table for each prefix length that occurs. So a look-up costs one step for each of them,
 * at most 33 for IPv4 and 129 for IPv6, however many blocks there are. Does not change once it is filled.
 */
public final class BlockTable<V> {

    private final Map<Prefix, V> values = new HashMap<>();
    private int[] lengthsOfV4 = {};
    private int[] lengthsOfV6 = {};

    public V at(Network network, Supplier<V> fresh) {
        byte[] address = network.address();
        if (address.length == 4) {
            lengthsOfV4 = with(lengthsOfV4, network.prefixLength());
        } else {
            lengthsOfV6 = with(lengthsOfV6, network.prefixLength());
        }
        return values.computeIfAbsent(Prefix.of(address, network.prefixLength()), absent -> fresh.get());
    }

    /** Whether there is a block with this address, of 4 or 16 bytes. */
    public boolean has(byte[] address) {
        for (int length : lengths(address)) {
            if (values.containsKey(Prefix.of(address, length))) {
                return true;
            }
        }
        return false;
    }

    void visit(byte[] address, Found<V> found) {
        for (int length : lengths(address)) {
            V value = values.get(Prefix.of(address, length));
            if (value != null) {
                found.found(value);
            }
        }
    }

    private int[] lengths(byte[] address) {
        return address.length == 4 ? lengthsOfV4 : lengthsOfV6;
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

    /** The first bits of an address. */
    private record Prefix(long high, long low, int length, int family) {

        static Prefix of(byte[] address, int length) {
            if (address.length == 4) {
                return new Prefix(masked(word(address, 0, 4) << 32, length), 0, length, 4);
            }
            return new Prefix(
                    masked(word(address, 0, 8), length), masked(word(address, 8, 8), length - 64), length, 16);
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
    }
}
