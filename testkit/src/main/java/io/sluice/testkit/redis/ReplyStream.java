package io.sluice.testkit.redis;

/**
 * Finds where replies of Redis end, RESP2 and RESP3, in pieces as they come, and holds nothing of them. Not safe for use by
 * several threads.
 */
final class ReplyStream {

    private boolean inside;
    private boolean push;
    private boolean foreign;
    private long elementsLeft;
    private long bytesLeft;
    private int type;
    private long number;
    private boolean negative;

    /** Whether a reply or a message has begun and not ended. */
    boolean inside() {
        return inside;
    }

    /** Whether what ended last was a message that nobody asked for. */
    boolean push() {
        return push;
    }

    /** Goes on to the end of a reply or message, or of the bytes; returns where that is. */
    int advance(byte[] bytes, int from, int to) {
        int at = from;
        while (at < to && !foreign) {
            if (bytesLeft > 0) {
                long skipped = Math.min(bytesLeft, to - at);
                bytesLeft -= skipped;
                at += (int) skipped;
                if (bytesLeft == 0) {
                    elementsLeft--;
                }
            } else {
                next(bytes[at++]);
            }
            if (inside && type == 0 && bytesLeft == 0 && elementsLeft == 0) {
                inside = false;
                return at;
            }
        }
        return to;
    }

    private void next(byte value) {
        if (type == 0) {
            begin(value);
        } else if (value == '\n') {
            line();
        } else if (value == '-') {
            negative = true;
        } else if (value >= '0' && value <= '9') {
            // Of other types than lengths the number is of no use, and may overflow.
            number = number * 10 + (value - '0');
        }
    }

    private void begin(byte value) {
        if ("+-:_,#($!=*~>%|".indexOf(value) < 0) {
            foreign = true;
            inside = false;
            return;
        }
        if (!inside) {
            inside = true;
            elementsLeft = 1;
            push = value == '>';
        }
        type = value;
        number = 0;
        negative = false;
    }

    private void line() {
        long count = negative ? 0 : number;
        switch (type) {
            case '$', '!', '=' -> {
                if (negative) {
                    elementsLeft--;
                } else {
                    bytesLeft = count + 2;
                }
            }
            case '*', '~', '>' -> elementsLeft += count - 1;
            case '%' -> elementsLeft += 2 * count - 1;
            // Attributes stand before what they belong to, and are not counted as elements.
            case '|' -> elementsLeft += 2 * count;
            default -> elementsLeft--;
        }
        type = 0;
    }
}
