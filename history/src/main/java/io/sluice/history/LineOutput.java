package io.sluice.history;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Writes lines of one JSON array each, directly as bytes, because the recorded process needs the CPU time itself. Not
 * thread-safe.
 */
final class LineOutput implements AutoCloseable {

    private static final int FULL = 1 << 16;
    private static final int LONGEST_NUMBER = 20;
    private static final int EIGHT_DIGITS = 100_000_000;
    private static final byte[] HEX = {'0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'};

    private final OutputStream file;
    private final byte[] digits = new byte[LONGEST_NUMBER];
    private byte[] bytes = new byte[FULL + 1024];
    private int size;
    private boolean begun;

    LineOutput(OutputStream file) {
        this.file = file;
    }

    LineOutput begin(String kind) {
        room(2);
        if (begun) {
            bytes[size++] = '\n';
        }
        begun = true;
        bytes[size++] = '[';
        quoted(kind);
        return this;
    }

    LineOutput number(long number) {
        room(1 + LONGEST_NUMBER);
        bytes[size++] = ',';
        if (number == Long.MIN_VALUE) {
            ascii(Long.toString(number));
            return this;
        }
        if (number < 0) {
            bytes[size++] = '-';
        }
        digits(Math.abs(number));
        return this;
    }

    LineOutput yes(boolean yes) {
        return number(yes ? 1 : 0);
    }

    LineOutput text(@Nullable String text) {
        room(1);
        bytes[size++] = ',';
        if (text == null) {
            ascii("null");
        } else {
            quoted(text);
        }
        return this;
    }

    /**
     * Writes a JSON value.
     *
     * @param json the value, in ASCII
     */
    LineOutput json(String json) {
        room(1);
        bytes[size++] = ',';
        ascii(json);
        return this;
    }

    void end() throws IOException {
        room(1);
        bytes[size++] = ']';
        if (size >= FULL) {
            flush();
        }
    }

    /** Returns the number of bytes that are not written yet. */
    int size() {
        return size;
    }

    void flush() throws IOException {
        file.write(bytes, 0, size);
        size = 0;
    }

    @Override
    public void close() throws IOException {
        flush();
        file.close();
    }

    private void room(int more) {
        if (size + more > bytes.length) {
            bytes = Arrays.copyOf(bytes, 2 * (size + more));
        }
    }

    /**
     * Writes two digits at a time and eight digits per division of the whole number, because most numbers are times of sixteen
     * digits.
     */
    private void digits(long number) {
        int first = LONGEST_NUMBER;
        long rest = number;
        while (rest >= EIGHT_DIGITS) {
            long higher = rest / EIGHT_DIGITS;
            int eight = (int) (rest - higher * EIGHT_DIGITS);
            for (int i = 0; i < 4; i++) {
                first = pair(first, eight % 100);
                eight /= 100;
            }
            rest = higher;
        }
        int few = (int) rest;
        while (few >= 10) {
            first = pair(first, few % 100);
            few /= 100;
        }
        if (few > 0 || first == LONGEST_NUMBER) {
            digits[--first] = (byte) ('0' + few);
        }
        System.arraycopy(digits, first, bytes, size, LONGEST_NUMBER - first);
        size += LONGEST_NUMBER - first;
    }

    private int pair(int before, int pair) {
        digits[before - 1] = (byte) ('0' + pair % 10);
        digits[before - 2] = (byte) ('0' + pair / 10);
        return before - 2;
    }

    private void ascii(String text) {
        room(text.length());
        for (int i = 0; i < text.length(); i++) {
            bytes[size++] = (byte) text.charAt(i);
        }
    }

    /** Writes a string. Keys need not be valid text, so all characters except plain ASCII are escaped by their numbers. */
    private void quoted(String text) {
        room(2 + 6 * text.length());
        bytes[size++] = '"';
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < ' ' || c > '~') {
                bytes[size++] = '\\';
                bytes[size++] = 'u';
                for (int shift = 12; shift >= 0; shift -= 4) {
                    bytes[size++] = HEX[c >> shift & 15];
                }
            } else {
                if (c == '"' || c == '\\') {
                    bytes[size++] = '\\';
                }
                bytes[size++] = (byte) c;
            }
        }
        bytes[size++] = '"';
    }
}
