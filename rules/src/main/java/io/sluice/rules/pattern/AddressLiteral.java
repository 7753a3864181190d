package io.sluice.rules.pattern;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Parses addresses as people and proxies write them: four decimal numbers, or IPv6 in any spelling of RFC 4291. No other text
 * is an address: no names, no hexadecimal or missing parts in IPv4, no digits outside ASCII. Never performs a DNS lookup.
 *
 * <p>Leading zeros are decimal: {@code 010.1.1.1} is {@code 10.1.1.1}. Some programs read them as octal. But then one caller
 * would have two spellings, and trusted proxies write no leading zeros in the addresses that they send.
 *
 * <p>{@code InetAddress.getByName} would look up every text that is not an address.
 */
final class AddressLiteral {

    /** The maximum length, which is longer than any address with a zone. */
    private static final int LONGEST = 100;

    private static final int V6_BYTES = 16;

    private final String text;
    private final int end;
    private final byte[] bytes = new byte[V6_BYTES];
    private int at;
    private int length;
    private int gap = -1;

    private AddressLiteral(String text, int end) {
        this.text = text;
        this.end = end;
    }

    /** Returns 4 or 16 bytes, or null if the text is not an address. A zone such as {@code %eth0} is dropped. */
    public static byte @Nullable [] bytes(String text) {
        if (text.isEmpty() || text.length() > LONGEST) {
            return null;
        }
        if (text.indexOf(':') < 0) {
            byte[] v4 = new byte[4];
            return v4(text, 0, text.length(), v4, 0) ? v4 : null;
        }
        int zone = text.indexOf('%');
        if (zone == text.length() - 1) {
            return null;
        }
        AddressLiteral literal = new AddressLiteral(text, zone < 0 ? text.length() : zone);
        return literal.v6() ? literal.bytes : null;
    }

    private boolean v6() {
        if (text.startsWith("::")) {
            gap = 0;
            at = 2;
        }
        while (at < end) {
            if (length == V6_BYTES || !part()) {
                return false;
            }
        }
        return closeGap();
    }

    /** Reads one group with the colons after it, or the IPv4 address at the end. */
    private boolean part() {
        int value = 0;
        int start = at;
        while (at < end && at - start <= 4 && Character.digit(text.charAt(at), 16) >= 0 && text.charAt(at) < 0x80) {
            value = (value << 4) | Character.digit(text.charAt(at++), 16);
        }
        if (at < end && text.charAt(at) == '.') {
            at = end;
            length += 4;
            return length <= V6_BYTES && v4(text, start, end, bytes, length - 4);
        }
        if (at == start || at - start > 4) {
            return false;
        }
        bytes[length++] = (byte) (value >> 8);
        bytes[length++] = (byte) value;
        return at == end || colons();
    }

    private boolean colons() {
        if (text.charAt(at++) != ':' || at == end) {
            return false;
        }
        if (text.charAt(at) == ':') {
            at++;
            if (gap >= 0) {
                return false;
            }
            gap = length;
        }
        return true;
    }

    private boolean closeGap() {
        if (gap < 0) {
            return length == V6_BYTES;
        }
        if (length == V6_BYTES) {
            return false;
        }
        int moved = length - gap;
        System.arraycopy(bytes, gap, bytes, V6_BYTES - moved, moved);
        Arrays.fill(bytes, gap, V6_BYTES - moved, (byte) 0);
        return true;
    }

    private static boolean v4(String text, int start, int end, byte[] into, int offset) {
        int at = start;
        for (int part = 0; part < 4; part++) {
            int value = 0;
            int first = at;
            while (at < end && at - first < 3 && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
                value = value * 10 + text.charAt(at++) - '0';
            }
            boolean closed = part == 3 ? at == end : at < end && text.charAt(at) == '.';
            if (at == first || value > 255 || !closed) {
                return false;
            }
            into[offset + part] = (byte) value;
            at++;
        }
        return true;
    }
}
