package io.sluice.rules.pattern;

import java.util.Arrays;
import java.util.Optional;

/**
 * An IP address. Immutable. Every address has one canonical form, so two spellings of an address are equal: IPv4-mapped IPv6
 * becomes IPv4, zones are dropped, and the text follows RFC 5952.
 */
public final class Address {

    /** The word for a caller whose address is unknown. It is not a valid address. */
    public static final String UNKNOWN = "unknown";

    private static final int V4_BYTES = 4;
    private static final int V6_BYTES = 16;
    private static final int V6_GROUPS = 8;

    private final byte[] bytes;

    private Address(byte[] bytes) {
        this.bytes = bytes;
    }

    /**
     * Parses an address. Returns empty if the text is not an address. Leading zeros are decimal: {@code 010.1.1.1} is {@code
     * 10.1.1.1}. Never performs a DNS lookup.
     */
    public static Optional<Address> parse(String text) {
        byte[] bytes = AddressLiteral.bytes(text);
        return bytes == null ? Optional.empty() : Optional.of(of(bytes));
    }

    /** Creates an address from 4 or 16 bytes. */
    public static Address of(byte[] bytes) {
        if (bytes.length != V4_BYTES && bytes.length != V6_BYTES) {
            throw new IllegalArgumentException("address: " + bytes.length + " bytes (expected: 4 or 16)");
        }
        return new Address(isMapped(bytes) ? Arrays.copyOfRange(bytes, V6_BYTES - V4_BYTES, V6_BYTES) : bytes.clone());
    }

    /** Returns the 4 or 16 bytes of the address. */
    public byte[] bytes() {
        return bytes.clone();
    }

    public boolean isV4() {
        return bytes.length == V4_BYTES;
    }

    /**
     * Returns the part that counts as one caller: the whole IPv4 address, or the IPv6 network with a prefix of 1 to 128 bits.
     */
    public String counted(int ipv6Prefix) {
        return isV4() || ipv6Prefix == 128
                ? toString()
                : Network.of(this, ipv6Prefix).toString();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Address address && Arrays.equals(bytes, address.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return isV4() ? v4() : v6();
    }

    private static boolean isMapped(byte[] bytes) {
        if (bytes.length != V6_BYTES || bytes[10] != -1 || bytes[11] != -1) {
            return false;
        }
        for (int i = 0; i < 10; i++) {
            if (bytes[i] != 0) {
                return false;
            }
        }
        return true;
    }

    private String v4() {
        StringBuilder text = new StringBuilder(15);
        for (byte part : bytes) {
            text.append(text.isEmpty() ? "" : ".").append(part & 0xff);
        }
        return text.toString();
    }

    /** Writes the longest run of two or more zero groups, the first if several are equally long, as {@code ::}. */
    private String v6() {
        int from = -1;
        int to = -1;
        for (int i = 0; i < V6_GROUPS; i++) {
            int end = i;
            while (end < V6_GROUPS && group(end) == 0) {
                end++;
            }
            if (end - i > Math.max(1, to - from)) {
                from = i;
                to = end;
            }
        }
        StringBuilder text = new StringBuilder(39);
        for (int i = 0; i < V6_GROUPS; i++) {
            if (i == from) {
                text.append("::");
                i = to - 1;
            } else {
                text.append(i == 0 || i == to ? "" : ":").append(Integer.toHexString(group(i)));
            }
        }
        return text.toString();
    }

    private int group(int index) {
        return ((bytes[2 * index] & 0xff) << 8) | (bytes[2 * index + 1] & 0xff);
    }
}
