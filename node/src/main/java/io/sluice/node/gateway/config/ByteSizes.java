package io.sluice.node.gateway.config;

import io.sluice.rules.yaml.PrintableText;
import java.util.List;

/** Sizes in bytes, configured as {@code 512}, {@code 64KB}, {@code 100MB} or {@code 2GB}. {@code 1KB} is 1,024 bytes. */
public final class ByteSizes {

    /** The units from the largest to the smallest; bytes have no unit. */
    private static final List<Unit> UNITS =
            List.of(new Unit("GB", 1L << 30), new Unit("MB", 1L << 20), new Unit("KB", 1L << 10), new Unit("", 1));

    private static final int MOST_DIGITS = 12;

    private record Unit(String word, long bytes) {}

    private ByteSizes() {}

    /** Reads a size between two bounds. The exception has the complete message. */
    public static long of(String name, String text, long least, long most) {
        for (Unit unit : UNITS) {
            if (text.endsWith(unit.word)) {
                String digits = text.substring(0, text.length() - unit.word.length());
                if (digits.matches("[0-9]{1," + MOST_DIGITS + "}") && Long.parseLong(digits) <= most / unit.bytes) {
                    long size = Long.parseLong(digits) * unit.bytes;
                    if (size >= least) {
                        return size;
                    }
                }
                break;
            }
        }
        throw new IllegalArgumentException(name + ": " + PrintableText.text(text) + " (expected: " + text(least)
                + " to " + text(most) + ", such as 512, 64KB, 100MB or 2GB)");
    }

    private static String text(long size) {
        for (Unit unit : UNITS) {
            if (size >= unit.bytes && size % unit.bytes == 0) {
                return size / unit.bytes + unit.word;
            }
        }
        return "0";
    }
}
