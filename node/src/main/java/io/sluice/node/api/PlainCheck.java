package io.sluice.node.api;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads one body of a check in the typical form: ASCII without escapes, string attributes, permits of up to nine digits, and whether to
 * reserve. It returns nothing for any other body; {@link StrictJson} then reads that body or reports its error.
 *
 * <p>This spares almost every check the work of a general parser. The two never disagree.
 */
final class PlainCheck {

    private static final int LONGEST_NAME = 1_000;
    private static final int MOST_DIGITS = 9;
    private static final byte[] ATTRIBUTES = "attributes".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] PERMITS = "permits".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] RESERVE = "reserve".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] TRUE = "true".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] FALSE = "false".getBytes(StandardCharsets.US_ASCII);

    private final byte[] body;
    private int at;
    private @Nullable Map<String, String> attributes;
    private long permits = -1;
    private @Nullable Boolean reserve;

    private PlainCheck(byte[] body) {
        this.body = body;
    }

    /**
     * The content of a body.
     *
     * @param permits the permits of the body; 1 if it has none
     * @param reserve whether to reserve; false if the body has no such field
     */
    record Read(Map<String, String> attributes, long permits, boolean reserve) {}

    /** Returns null if the body does not have the typical form. */
    static @Nullable Read read(byte[] body) {
        PlainCheck check = new PlainCheck(body);
        return check.object() && check.attributes != null
                ? new Read(check.attributes, check.permits < 0 ? 1 : check.permits, Boolean.TRUE.equals(check.reserve))
                : null;
    }

    private boolean object() {
        if (!next('{')) {
            return false;
        }
        do {
            if (!field()) {
                return false;
            }
        } while (next(','));
        return next('}') && peek() < 0 && at == body.length;
    }

    private boolean field() {
        if (name(ATTRIBUTES)) {
            return next(':') && attributes == null && attributes();
        }
        if (name(PERMITS)) {
            return next(':') && permits < 0 && permits();
        }
        return name(RESERVE) && next(':') && reserve == null && reserve();
    }

    private boolean reserve() {
        reserve = word(TRUE);
        return reserve || word(FALSE);
    }

    /** Reads this word and returns true if it comes next. */
    private boolean word(byte[] expected) {
        if (peek() < 0
                || !Arrays.equals(
                        body, at, Math.min(body.length, at + expected.length), expected, 0, expected.length)) {
            return false;
        }
        at += expected.length;
        return true;
    }

    private boolean attributes() {
        Map<String, String> all = new HashMap<>(16);
        attributes = all;
        if (!next('{')) {
            return false;
        }
        if (next('}')) {
            return true;
        }
        do {
            String name = text(LONGEST_NAME);
            String value = name != null && next(':') ? text(body.length) : null;
            if (value == null || all.put(name, value) != null) {
                return false;
            }
        } while (next(','));
        return next('}');
    }

    private boolean permits() {
        int begin = peek() < 0 ? body.length : at;
        long number = 0;
        while (at < body.length && body[at] >= '0' && body[at] <= '9' && at - begin < MOST_DIGITS) {
            number = 10 * number + body[at++] - '0';
        }
        permits = number;
        return at > begin && (body[begin] != '0' || at == begin + 1);
    }

    /** Reads this name and returns true if it comes next. */
    private boolean name(byte[] expected) {
        if (peek() != '"' || body.length - at < expected.length + 2 || body[at + expected.length + 1] != '"') {
            return false;
        }
        for (int i = 0; i < expected.length; i++) {
            if (body[at + 1 + i] != expected[i]) {
                return false;
            }
        }
        at += expected.length + 2;
        return true;
    }

    private @Nullable String text(int longest) {
        if (!next('"')) {
            return null;
        }
        int begin = at;
        while (at < body.length && body[at] != '"') {
            if (body[at] < ' ' || body[at] == '\\') {
                return null;
            }
            at++;
        }
        return at == body.length || at - begin > longest
                ? null
                : new String(body, begin, at++ - begin, StandardCharsets.ISO_8859_1);
    }

    private boolean next(char expected) {
        if (peek() != expected) {
            return false;
        }
        at++;
        return true;
    }

    /** Skips white space and returns the next byte, or a negative number at the end. */
    private int peek() {
        while (at < body.length) {
            byte c = body[at];
            if (c != ' ' && c != '\n' && c != '\r' && c != '\t') {
                return c & 0xff;
            }
            at++;
        }
        return -1;
    }
}
