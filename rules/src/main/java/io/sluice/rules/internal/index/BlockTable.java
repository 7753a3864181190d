package io.sluice.rules.internal.index;

import io.sluice.rules.Network;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Values by block of addresses: one table for each prefix length that occurs. So a look-up costs one step for each of them,
 * at most 33 for IPv4 and 129 for IPv6, however many blocks there are.
 */
final class BlockTable<V> {

    private final Map<Prefix, V> values = new HashMap<>();
    private int[] lengthsOfV4 = {};
    private int[] lengthsOfV6 = {};

    V at(Network network, Supplier<V> fresh) {
        byte[] address = network.address();
        if (address.length == 4) {
            lengthsOfV4 = with(lengthsOfV4, network.prefixLength());
        } else {
            lengthsOfV6 = with(lengthsOfV6, network.prefixLength());
        }
        return values.computeIfAbsent(Prefix.of(address, network.prefixLength()), absent -> fresh.get());
    }

    void visit(byte[] address, Found<V> found) {
        int[] lengths = address.length == 4 ? lengthsOfV4 : address.length == 16 ? lengthsOfV6 : new int[0];
        for (int length : lengths) {
            V value = values.get(Prefix.of(address, length));
            if (value != null) {
                found.found(value);
            }
        }
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
                word = word << 8 | (address[from + i] & 0xff);
            }
            return word;
        }

        private static long masked(long word, int bits) {
            return bits <= 0 ? 0 : bits >= Long.SIZE ? word : word & -1L << (Long.SIZE - bits);
        }
    }
}
