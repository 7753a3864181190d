package io.sluice.rules.pattern;

import io.sluice.rules.yaml.PrintableText;
import java.util.Arrays;

/**
 * A block of addresses, {@code 10.0.0.0/8} or {@code 2001:db8::/32}. A single address is a block of one. Immutable.
 *
 * <p>IPv4 blocks contain no IPv6 addresses, and vice versa. But IPv4-mapped IPv6 is IPv4, in blocks as in addresses.
 */
public final class Network {

    private static final String EXPECTED = "an address, or a network such as 10.0.0.0/8 or 2001:db8::/32";
    private static final int MAPPED_BITS = 96;

    private final byte[] address;
    private final int prefixLength;

    private Network(byte[] address, int prefixLength) {
        this.address = address;
        this.prefixLength = prefixLength;
    }

    /**
     * Parses a network as documents write it. This is stricter than for addresses of requests: no zone, no leading zeros, and no bits after
     * the prefix. The message of the exception contains the correct form.
     */
    public static Network parse(String text) {
        int slash = text.indexOf('/');
        String literal = slash < 0 ? text : text.substring(0, slash);
        Address address = Address.parse(literal).orElseThrow(() -> refused(text, EXPECTED));
        if (literal.indexOf('%') >= 0 || hasLeadingZeros(literal)) {
            throw refused(text, address + (slash < 0 ? "" : text.substring(slash)));
        }
        int bits = address.bytes().length * Byte.SIZE;
        int prefix = bits;
        if (slash >= 0) {
            boolean mapped = address.isV4() && literal.indexOf(':') >= 0;
            prefix =
                    prefix(text, slash + 1, mapped ? MAPPED_BITS : 0, mapped ? 128 : bits) - (mapped ? MAPPED_BITS : 0);
        }
        Network network = of(address, prefix);
        if (!Arrays.equals(network.address, address.bytes())) {
            throw refused(text, network + ", or " + address + " alone");
        }
        return network;
    }

    /** Returns the network with this prefix length that contains an address. */
    public static Network of(Address address, int prefixLength) {
        byte[] bytes = address.bytes();
        if (prefixLength < 0 || prefixLength > bytes.length * Byte.SIZE) {
            throw new IllegalArgumentException(
                    "prefix: " + prefixLength + " (expected: 0.." + bytes.length * Byte.SIZE + ")");
        }
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] &= (byte) mask(prefixLength - i * Byte.SIZE);
        }
        return new Network(bytes, prefixLength);
    }

    /** Returns whether the network contains the address with these 4 or 16 bytes. */
    public boolean contains(byte[] bytes) {
        return contains(Address.of(bytes));
    }

    public boolean contains(Address candidate) {
        byte[] bytes = candidate.bytes();
        if (bytes.length != address.length) {
            return false;
        }
        int difference = 0;
        for (int i = 0; i < bytes.length; i++) {
            difference |= (bytes[i] ^ address[i]) & mask(prefixLength - i * Byte.SIZE);
        }
        return difference == 0;
    }

    /** Returns the first address: 4 or 16 bytes, zero after the prefix. */
    public byte[] address() {
        return address.clone();
    }

    /** Returns the prefix length, 0 to 32 or 0 to 128. */
    public int prefixLength() {
        return prefixLength;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Network network
                && prefixLength == network.prefixLength
                && Arrays.equals(address, network.address);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(address) + prefixLength;
    }

    @Override
    public String toString() {
        return Address.of(address) + "/" + prefixLength;
    }

    /** Returns the mask of one byte when this many bits, counted from its first bit, belong to the prefix. */
    private static int mask(int bits) {
        return bits >= Byte.SIZE ? 0xff : bits <= 0 ? 0 : (0xff << (Byte.SIZE - bits)) & 0xff;
    }

    private static int prefix(String text, int start, int least, int most) {
        int digits = text.length() - start;
        int prefix = 0;
        for (int i = start; i < text.length(); i++) {
            char c = text.charAt(i);
            prefix = c >= '0' && c <= '9' && digits <= 3 ? prefix * 10 + c - '0' : Integer.MIN_VALUE;
            if (prefix < 0) {
                break;
            }
        }
        if (digits == 0 || prefix < least || prefix > most || (digits > 1 && text.charAt(start) == '0')) {
            throw refused(text, "a prefix length of " + least + ".." + most);
        }
        return prefix;
    }

    private static boolean hasLeadingZeros(String literal) {
        if (literal.indexOf('.') < 0) {
            return false;
        }
        for (String part : literal.substring(literal.lastIndexOf(':') + 1).split("\\.", -1)) {
            if (part.length() > 1 && part.startsWith("0")) {
                return true;
            }
        }
        return false;
    }

    private static IllegalArgumentException refused(String text, String expected) {
        return new IllegalArgumentException("network: " + PrintableText.text(text) + " (expected: " + expected + ")");
    }
}
