package io.sluice.replay.log;

/** Converts the escapes of servers and of JSON to bytes: {@code \x22}, {@code \"}, {@code \\}, {@code \n}, {@code \u00e9}. */
final class Escapes {

    private Escapes() {}

    /** Sets slots to a value that may have escapes. */
    static void set(LineFields fields, FieldTarget[] targets, byte[] line, int from, int to) {
        if (targets.length == 0) {
            return;
        }
        byte[] bytes = line;
        int start = from;
        int end = to;
        if (LineFields.indexOf(line, from, to, '\\') >= 0) {
            bytes = fields.scratch(to - from);
            start = fields.scratchUsed();
            end = decode(line, from, to, bytes, start);
            fields.scratchUsed(end);
        }
        for (FieldTarget target : targets) {
            fields.set(target, bytes, start, end);
        }
    }

    /** Writes the decoded bytes of a text, which are never more than the text has. Returns the position after the last of them. */
    private static int decode(byte[] in, int from, int to, byte[] out, int start) {
        int at = start;
        for (int i = from; i < to; i++) {
            if (in[i] != '\\' || i + 1 >= to) {
                out[at++] = in[i];
                continue;
            }
            byte kind = in[++i];
            if (kind == 'x' && hex(in, i + 1, to, 2) >= 0) {
                out[at++] = (byte) hex(in, i + 1, to, 2);
                i += 2;
            } else if (kind == 'u' && hex(in, i + 1, to, 4) >= 0) {
                int point = hex(in, i + 1, to, 4);
                i += 4;
                boolean pair = Character.isHighSurrogate((char) point)
                        && i + 2 < to
                        && in[i + 1] == '\\'
                        && in[i + 2] == 'u'
                        && Character.isLowSurrogate((char) Math.max(0, hex(in, i + 3, to, 4)));
                if (pair) {
                    point = Character.toCodePoint((char) point, (char) hex(in, i + 3, to, 4));
                    i += 6;
                }
                at = utf8(point, out, at);
            } else {
                out[at++] = plain(kind);
            }
        }
        return at;
    }

    private static byte plain(byte kind) {
        return switch (kind) {
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'b' -> '\b';
            case 'f' -> '\f';
            default -> kind;
        };
    }

    private static int hex(byte[] in, int from, int to, int digits) {
        if (from + digits > to) {
            return -1;
        }
        int value = 0;
        for (int i = from; i < from + digits; i++) {
            int digit = Character.digit(in[i], 16);
            if (digit < 0) {
                return -1;
            }
            value = (value << 4) | digit;
        }
        return value;
    }

    private static int utf8(int point, byte[] out, int start) {
        int at = start;
        if (point < 0x80) {
            out[at++] = (byte) point;
        } else if (point < 0x800) {
            out[at++] = (byte) (0xc0 | (point >> 6));
            out[at++] = (byte) (0x80 | (point & 0x3f));
        } else {
            if (point < 0x10000) {
                out[at++] = (byte) (0xe0 | (point >> 12));
            } else {
                out[at++] = (byte) (0xf0 | (point >> 18));
                out[at++] = (byte) (0x80 | ((point >> 12) & 0x3f));
            }
            out[at++] = (byte) (0x80 | ((point >> 6) & 0x3f));
            out[at++] = (byte) (0x80 | (point & 0x3f));
        }
        return at;
    }
}
