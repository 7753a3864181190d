package io.sluice.testkit.redis;

import java.io.ByteArrayOutputStream;
import java.util.Locale;

/**
 * Splits the bytes of a Redis client into commands as they arrive, and buffers no more of a command than its name. Bytes that are not RESP
 * pass unchanged, and so do all bytes after them. Not thread-safe.
 */
final class CommandStream {

    /** Decides about commands. */
    interface Judge {

        /** Returns whether a command is passed on to the server. The name is in capitals, or empty if it is too long for any command. */
        boolean passes(String name);

        /** Called when a command that is not passed on is complete. */
        void swallowed() throws InterruptedException;
    }

    private static final int LONGEST_NAME = 64;
    private static final int LONGEST_HEADER = 24;

    private enum At {
        START,
        COUNT,
        LENGTH,
        BODY,
        INLINE,
        FOREIGN
    }

    private final Judge judge;
    private final ByteArrayOutputStream passed = new ByteArrayOutputStream();
    private final ByteArrayOutputStream undecided = new ByteArrayOutputStream();
    private final StringBuilder word = new StringBuilder();
    private At at = At.START;
    private boolean decided;
    private boolean passes;
    private long partsLeft;
    private long bytesLeft;

    CommandStream(Judge judge) {
        this.judge = judge;
    }

    /** Returns the bytes to pass on to the server, from these bytes and from earlier undecided bytes. */
    byte[] feed(byte[] bytes, int length) throws InterruptedException {
        passed.reset();
        for (int i = 0; i < length; i++) {
            next(bytes[i]);
        }
        return passed.toByteArray();
    }

    private void next(byte value) throws InterruptedException {
        if (at == At.START) {
            begin(value);
        }
        keep(value);
        switch (at) {
            case COUNT, LENGTH -> header(value);
            case BODY -> body(value);
            case INLINE -> inline(value);
            case START, FOREIGN -> {}
        }
    }

    private void begin(byte first) {
        word.setLength(0);
        boolean blank = first == '\r' || first == '\n';
        boolean letter = (first | 0x20) >= 'a' && (first | 0x20) <= 'z';
        decided = blank;
        passes = blank;
        if (first == '*') {
            at = At.COUNT;
        } else if (letter) {
            at = At.INLINE;
        } else if (!blank) {
            foreign();
        }
    }

    private void keep(byte value) {
        if (!decided) {
            undecided.write(value);
        } else if (passes) {
            passed.write(value);
        }
    }

    private void header(byte value) throws InterruptedException {
        if (value != '\n') {
            word.append((char) value);
            if (word.length() > LONGEST_HEADER) {
                foreign();
            }
            return;
        }
        String header = word.toString().strip();
        word.setLength(0);
        if (!header.matches(at == At.COUNT ? "\\*-?\\d{1,18}" : "\\$\\d{1,18}")) {
            foreign();
            return;
        }
        long number = Long.parseLong(header.substring(1));
        if (at == At.LENGTH) {
            bytesLeft = number + 2;
            at = At.BODY;
            if (!decided && number > LONGEST_NAME) {
                decide("");
            }
        } else if (number > 0) {
            partsLeft = number;
            at = At.LENGTH;
        } else {
            // Redis skips this byte silently.
            pass();
            at = At.START;
        }
    }

    private void body(byte value) throws InterruptedException {
        if (!decided) {
            word.append((char) value);
        }
        if (--bytesLeft > 0) {
            return;
        }
        if (!decided) {
            decide(word.substring(0, word.length() - 2));
        }
        word.setLength(0);
        at = At.LENGTH;
        if (--partsLeft == 0) {
            end();
        }
    }

    private void inline(byte value) throws InterruptedException {
        if (!decided) {
            if (value == ' ' || value == '\r' || value == '\n') {
                decide(word.toString());
            } else if (word.append((char) value).length() > LONGEST_NAME) {
                decide("");
            }
        }
        if (value == '\n') {
            end();
        }
    }

    private void decide(String name) {
        if (judge.passes(name.toUpperCase(Locale.ROOT))) {
            pass();
        } else {
            decided = true;
            passes = false;
            undecided.reset();
        }
    }

    private void end() throws InterruptedException {
        at = At.START;
        if (!passes) {
            judge.swallowed();
        }
    }

    private void foreign() {
        at = At.FOREIGN;
        pass();
    }

    private void pass() {
        decided = true;
        passes = true;
        passed.writeBytes(undecided.toByteArray());
        undecided.reset();
    }
}
