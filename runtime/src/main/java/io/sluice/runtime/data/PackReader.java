package io.sluice.runtime.data;

import java.nio.charset.StandardCharsets;

/**
 * Reads what {@link PackWriter} writes. Throws {@link IllegalArgumentException} if the bytes have another form, and never takes more
 * memory than they do. Not thread-safe.
 */
public final class PackReader {

    private final byte[] bytes;
    private int at;

    public PackReader(byte[] bytes) {
        this.bytes = bytes;
    }

    public long number() {
        long number = 0;
        for (int shift = 0; shift < Long.SIZE - 1; shift += 7) {
            int next = next();
            number |= (long) (next & 0x7f) << shift;
            if (next <= 0x7f) {
                if (number < 0) {
                    break;
                }
                return number;
            }
        }
        throw damaged();
    }

    /** Reads a number of at most this size. */
    public long number(long most) {
        long number = number();
        if (number > most) {
            throw damaged();
        }
        return number;
    }

    /** Reads how many items follow. Each takes at least one byte. */
    public int count() {
        long count = number();
        if (count > bytes.length - at) {
            throw damaged();
        }
        return (int) count;
    }

    public String text() {
        int length = count();
        at += length;
        return new String(bytes, at - length, length, StandardCharsets.UTF_8);
    }

    public byte[] bytes() {
        int length = count();
        byte[] part = new byte[length];
        System.arraycopy(bytes, at, part, 0, length);
        at += length;
        return part;
    }

    public boolean isAtEnd() {
        return at == bytes.length;
    }

    private int next() {
        if (at == bytes.length) {
            throw damaged();
        }
        return bytes[at++] & 0xff;
    }

    private static IllegalArgumentException damaged() {
        return new IllegalArgumentException("packed data: damaged (expected: what this version of Sluice writes)");
    }
}
