package io.sluice.testkit.redis;

/** Finds the ends of Redis replies (RESP2 and RESP3) in bytes as they arrive, without buffering them. Not thread-safe. */
final class ReplyStream {

    private boolean inside;
    private boolean push;
    private boolean foreign;
    private long elementsLeft;
    private long bytesLeft;
    private int type;
    private long number;
    private boolean negative;

    /** Returns whether a reply or message has started and not ended. */
    boolean inside() {
        return inside;
    }

    /** Returns whether the last message was pushed by the server, not a reply. */
    boolean push() {
        return push;
    }

    /** Advances to the end of a reply or message, or to the end of the bytes. Returns the position. */
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
            // Only lengths are used. Other numbers do not matter and may overflow.
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
            // Attributes precede the value they belong to and do not count as elements.
            case '|' -> elementsLeft += 2 * count;
            default -> elementsLeft--;
        }
        type = 0;
    }
}
