package io.sluice.rules.yaml;

import java.io.Reader;

/**
 * Reads a text without ever splitting a surrogate pair between two reads, because the parser would fail there. Not thread-safe.
 */
final class WholePairs extends Reader {

    private final String text;
    private int at;

    WholePairs(String text) {
        this.text = text;
    }

    @Override
    public int read(char[] buffer, int offset, int length) {
        int end = Math.min(text.length(), at + length);
        if (end - at > 1 && end < text.length() && Character.isHighSurrogate(text.charAt(end - 1))) {
            end--;
        }
        if (end == at) {
            return length == 0 ? 0 : -1;
        }
        int count = end - at;
        text.getChars(at, end, buffer, offset);
        at = end;
        return count;
    }

    @Override
    public void close() {}
}
