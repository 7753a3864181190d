package io.sluice.node.gateway.config;

import io.sluice.rules.yaml.PrintableText;
import java.util.List;

/** Numbers of bytes as the configuration writes them: {@code 512}, {@code 64KB}, {@code 100MB}, {@code 2GB}; a KB is 1,024 of them. */
final class ByteSizes {

    /** From the largest to the smallest, which is written without a word. */
    private static final List<Unit> UNITS =
            List.of(new Unit("GB", 1L << 30), new Unit("MB", 1L << 20), new Unit("KB", 1L << 10), new Unit("", 1));

    private static final int MOST_DIGITS = 12;

    private record Unit(String word, long bytes) {}

    private ByteSizes() {}

    /** A size between two others; the exception has the whole message. */
    static long of(String name, String text, long least, long most) {
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
