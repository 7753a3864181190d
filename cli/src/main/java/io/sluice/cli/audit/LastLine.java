package io.sluice.cli.audit;

import java.nio.charset.StandardCharsets;

/** The end of a text that arrives in parts. Not thread-safe. */
final class LastLine {

    private static final int ENOUGH = 200;

    private String end = "";

    void add(byte[] bytes, int length) {
        int from = Math.max(0, length - ENOUGH);
        String both = end + new String(bytes, from, length - from, StandardCharsets.ISO_8859_1);
        end = both.substring(Math.max(0, both.length() - ENOUGH));
    }

    /** Returns whether the text ends with the last line of an export. */
    boolean isEnd() {
        int before = end.lastIndexOf('\n', end.length() - 2);
        return end.endsWith("}\n") && end.startsWith("{\"end\":", before + 1);
    }
}
