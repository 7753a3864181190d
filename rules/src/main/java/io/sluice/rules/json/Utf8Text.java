package io.sluice.rules.json;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A text buffer that holds the text as UTF-8 bytes. Not thread-safe.
 *
 * <p>A {@link StringBuilder} would hold the text as characters first, and copy and encode it for each answer.
 */
final class Utf8Text {

    /** The maximum number of characters of a number, including its sign. */
    private static final int LONGEST_NUMBER = 20;

    private byte[] bytes;
    private int length;

    Utf8Text(int usualLength) {
        this.bytes = new byte[usualLength];
    }

    /** Appends one ASCII character. */
    Utf8Text append(char ascii) {
        room(1);
        bytes[length++] = (byte) ascii;
        return this;
    }

    /** Appends a code point that is not a surrogate. */
    Utf8Text append(int codePoint) {
        return append(Character.toString(codePoint).getBytes(StandardCharsets.UTF_8));
    }

    Utf8Text append(long number) {
        if (number < 0) {
            return appendAscii(Long.toString(number));
        }
        room(LONGEST_NUMBER);
        int end = length + 1;
        for (long rest = number / 10; rest > 0; rest /= 10) {
            end++;
        }
        length = end;
        long rest = number;
        do {
            bytes[--end] = (byte) ('0' + rest % 10);
            rest /= 10;
        } while (rest > 0);
        return this;
    }

    /** Appends a text that consists of ASCII characters only. */
    @SuppressWarnings("deprecation") // the only copy that does not inspect each character; all are ASCII here
    Utf8Text appendAscii(String text) {
        room(text.length());
        text.getBytes(0, text.length(), bytes, length);
        length += text.length();
        return this;
    }

    /** Appends the name of a field, which is ASCII and needs no escape, between the character before it and the colon. */
    @SuppressWarnings("deprecation") // as above
    void appendName(char before, String name) {
        int end = name.length();
        room(end + 4);
        byte[] to = bytes;
        int at = length;
        to[at] = (byte) before;
        to[at + 1] = '"';
        name.getBytes(0, end, to, at + 2);
        to[at + 2 + end] = '"';
        to[at + 3 + end] = ':';
        length = at + end + 4;
    }

    /**
     * Appends a quotation mark and the leading characters that need no escape in JSON. For most texts these are all characters;
     * then also appends the closing quotation mark. Returns the number of appended characters of the text.
     */
    int appendQuoted(String text) {
        int end = text.length();
        room(end + 2);
        byte[] to = bytes;
        int at = length;
        to[at++] = '"';
        int i = 0;
        for (; i < end && isPlain(text.charAt(i)); i++) {
            to[at++] = (byte) text.charAt(i);
        }
        if (i == end) {
            to[at++] = '"';
        }
        length = at;
        return i;
    }

    byte[] toBytes() {
        return Arrays.copyOf(bytes, length);
    }

    @Override
    public String toString() {
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }

    private Utf8Text append(byte[] more) {
        room(more.length);
        System.arraycopy(more, 0, bytes, length, more.length);
        length += more.length;
        return this;
    }

    private void room(int more) {
        if (bytes.length - length < more) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, length + more));
        }
    }

    private static boolean isPlain(char c) {
        return c >= ' ' && c < 0x7f && c != '"' && c != '\\';
    }
}
