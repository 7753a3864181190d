package io.sluice.rules.pattern;

/**
 * Checks whether a path is already in its normal form, in one pass and without allocation. Most paths are. The check may return false for a
 * normal path, but never true for any other path; after false, the normaliser decides.
 */
public final class NormalPath {

    /** Characters that stand for themselves in any context. */
    private static final boolean[] PLAIN = new boolean[0x80];

    static {
        for (char c = '!'; c < 0x7f; c++) {
            PLAIN[c] = "/%;?#\\".indexOf(c) < 0;
        }
    }

    private NormalPath() {}

    public static boolean is(String path, PathForm form) {
        int length = path.length();
        if (length == 0 || path.charAt(0) != '/' || path.charAt(length - 1) == '/') {
            return path.equals("/") || path.equals("*");
        }
        for (int i = 0; i < length; i++) {
            char c = path.charAt(i);
            if (c == '/') {
                if (isEmptyOrDots(path, i + 1)) {
                    return false;
                }
            } else if (c == '%') {
                if (!isKeptEscape(path, i)) {
                    return false;
                }
            } else if (c >= 0x80) {
                if (Character.isLowSurrogate(c) && i > 0 && Character.isHighSurrogate(path.charAt(i - 1))) {
                    continue;
                }
                int point = path.codePointAt(i);
                if (!isText(point) || (form.ignoreCase() && withoutCase(point) != point)) {
                    return false;
                }
            } else if (!PLAIN[c] || (form.ignoreCase() && c >= 'A' && c <= 'Z')) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns whether a code point is text: not a control character, not a surrogate, and not the replacement character of
     * decoders.
     */
    static boolean isText(int point) {
        return point >= 0xa0 && point != 0xfffd && (point < Character.MIN_SURROGATE || point > Character.MAX_SURROGATE);
    }

    /**
     * Returns the common form of a character in upper and lower case. Some characters have the same form as an ASCII character: servers in
     * Java may read U+017F as {@code s}, and U+212A as {@code k}.
     */
    static int withoutCase(int point) {
        return Character.toLowerCase(Character.toUpperCase(point));
    }

    /** Returns whether the segment that starts here is empty, {@code .} or {@code ..}. */
    private static boolean isEmptyOrDots(String path, int start) {
        int end = start;
        while (end < path.length() && end < start + 3 && path.charAt(end) == '.') {
            end++;
        }
        return end - start < 3 && (end == path.length() || path.charAt(end) == '/');
    }

    /** Returns whether this is an escaped percent sign, space, question mark or number sign that is part of a name. */
    private static boolean isKeptEscape(String path, int at) {
        if (path.startsWith("%25", at)) {
            return !isTwiceEncoded(path, at);
        }
        return path.startsWith("%20", at) || path.startsWith("%3F", at) || path.startsWith("%23", at);
    }

    /** Returns whether an encoded percent sign stands before two hexadecimal digits, as it does after encoding twice. */
    static boolean isTwiceEncoded(String path, int at) {
        return at + 4 < path.length() && hex(path.charAt(at + 3)) >= 0 && hex(path.charAt(at + 4)) >= 0;
    }

    public static int hex(char c) {
        return c < 0x80 ? Character.digit(c, 16) : -1;
    }
}
