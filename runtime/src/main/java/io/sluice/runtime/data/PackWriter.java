package io.sluice.runtime.data;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Writes numbers and texts into few bytes: small numbers take one byte. Not thread-safe. */
public final class PackWriter {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    /** Writes a number of 0 or more. */
    public PackWriter number(long number) {
        if (number < 0) {
            throw new IllegalArgumentException("number: " + number + " (expected: 0 or more)");
        }
        long rest = number;
        while (rest > 0x7f) {
            out.write((int) ((rest & 0x7f) | 0x80));
            rest >>>= 7;
        }
        out.write((int) rest);
        return this;
    }

    public PackWriter text(String text) {
        return bytes(text.getBytes(StandardCharsets.UTF_8));
    }

    public PackWriter bytes(byte[] bytes) {
        number(bytes.length);
        out.writeBytes(bytes);
        return this;
    }

    /** Returns how many bytes were written. */
    public int size() {
        return out.size();
    }

    public byte[] toBytes() {
        return out.toByteArray();
    }
}
