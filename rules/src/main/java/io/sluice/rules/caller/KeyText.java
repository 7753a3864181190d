package io.sluice.rules.caller;

import java.util.HexFormat;

/**
 * Escapes names and values for use in keys. Characters that could be read as a separator, a hash tag or the end of a line, and characters
 * that UTF-8 cannot represent, become {@code !} and two hexadecimal digits, or {@code !u} and four. The Redis engine leaves the result
 * unchanged.
 */
final class KeyText {

    private static final boolean[] PLAIN = new boolean[0x80];

    static {
        for (char c = '!'; c < 0x7f; c++) {
            PLAIN[c] = "!&=~#%{}".indexOf(c) < 0;
        }
    }

    private KeyText() {}

    static void append(CharSequence text, StringBuilder key) {
        int written = 0;
        int i = 0;
        while (i < text.length()) {
            char c = text.charAt(i);
            if (c < 0x80 ? PLAIN[c] : c > 0x9f && !Character.isSurrogate(c)) {
                i++;
            } else if (isPair(text, i)) {
                i += 2;
            } else {
                escape(c, key.append(text, written, i));
                written = ++i;
            }
        }
        key.append(text, written, text.length());
    }

    /** Returns the text before {@link #append} escaped it. Parts that {@link #append} would not write are returned unchanged. */
    static String plain(String escaped) {
        if (escaped.indexOf('!') < 0) {
            return escaped;
        }
        StringBuilder text = new StringBuilder(escaped.length());
        for (int i = 0; i < escaped.length(); i++) {
            int digits = escaped.startsWith("!u", i) ? 4 : 2;
            int from = i + (digits == 4 ? 2 : 1);
            if (escaped.charAt(i) == '!' && isHex(escaped, from, digits)) {
                text.append((char) HexFormat.fromHexDigits(escaped, from, from + digits));
                i = from + digits - 1;
            } else {
                text.append(escaped.charAt(i));
            }
        }
        return text.toString();
    }

    private static boolean isHex(String text, int from, int digits) {
        if (from + digits > text.length()) {
            return false;
        }
        for (int i = from; i < from + digits; i++) {
            if (!HexFormat.isHexDigit(text.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    private static boolean isPair(CharSequence text, int at) {
        return Character.isHighSurrogate(text.charAt(at))
                && at + 1 < text.length()
                && Character.isLowSurrogate(text.charAt(at + 1));
    }

    private static void escape(char c, StringBuilder key) {
        if (c > 0xff) {
            key.append("!u").append(HexFormat.of().toHexDigits(c));
        } else {
            key.append('!').append(HexFormat.of().toHexDigits((byte) c));
        }
    }
}
